"""Sphinx configuration of the site; site/build.py lays out its pages and calls Sphinx."""

project = "jsqlab"
author = "The jsqlab authors"
html_title = "jsqlab"
html_short_title = "jsqlab"
language = "en"

extensions = ["myst_nb", "sphinx.ext.mathjax"]
exclude_patterns = ["files"]  # downloads
nb_execution_mode = "off"  # the notebooks are stored with their outputs
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_dmath_double_inline = True  # $$...$$ is set apart after a line of text, too, as in JupyterLab
myst_heading_anchors = 3
highlight_language = "none"
smartquotes = False  # they would change what is quoted from programs

html_theme = "sphinx_book_theme"
html_static_path = ["static"]
html_favicon = "static/icon.svg"
html_context = {"default_mode": "auto"}
html_sidebars = {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_css_files = ["jsqlab.css"]
html_js_files = [("jsqlab.js", {"defer": "defer"})]
html_copy_source = False
html_show_search_summary = False  # it would load every page found
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    "use_download_button": False,  # each notebook has a link to itself as it was stored
    "use_fullscreen_button": False,
    "show_toc_level": 2,
    "home_page_in_toc": True,
    "show_navbar_depth": 1,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "primary_sidebar_end": [],
    "footer_content_items": [],
}

# MathJax by its parts, without menu and speech: a third less to load than the whole.
mathjax_path = "mathjax/startup.js"
mathjax3_config = {
    "loader": {"load": ["input/tex-base", "[tex]/ams", "output/chtml", "a11y/assistive-mml"]},
    "tex": {"packages": ["base", "ams"]},
    "chtml": {"mtextInheritFont": True},
}
