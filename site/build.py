"""Build the companion site from the stored notebooks and the source.

    build.py [OUTDIR]        (default build/site)

The pages are laid out in a folder of their own, Sphinx turns them into HTML with every warning an error, what no page uses
is taken out, and only then does the result take the place of an earlier site. Exit status: 0 done, 1 a page or a link is wrong or
the work failed, 2 unusable arguments, 130 interrupted.
"""

import argparse
import fcntl
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import nb as runner  # noqa: E402
import program  # noqa: E402

SITE = ROOT / "site"
MATHJAX = ["startup.js", "core.js", "input/tex-base.js", "input/tex/extensions/ams.js", "output/chtml.js", "output/chtml/fonts", "a11y/assistive-mml.js"]
MARK = ".jsqlab-site"  # in every folder that this program made
SOLUTIONS = "notebooks/exercises/solutions"
LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)")

NAME, TITLE = "jsqlab", "jsqlab: Join the Shortest Queue, large and nearly full"

# What a screen reader needs to know of the theme's buttons.
NAMED = [
    ('<summary><span class="toctree-toggle" role="presentation">', '<summary aria-label="Pages below"><span class="toctree-toggle" role="presentation">'),
    ('<button class="btn search-button-field search-button__button pst-js-only" title="Search" aria-label="Search"',
     '<button class="btn search-button-field search-button__button pst-js-only" title="Search" aria-label="Search Ctrl+K"'),
]


class Wrong(program.Failed):
    """Something in the sources that the site cannot show."""


def run(*command, **options):
    try:
        return subprocess.run(command, cwd=ROOT, check=True, text=True, **options)
    except subprocess.CalledProcessError as err:
        raise program.Failed(f"{' '.join(map(str, command[:4]))} ...: exit status {err.returncode}") from err


def pages():
    """Where each page comes from: {its name in the site: its path in the repository}, both with the suffix."""
    found = {p.name: f"site/{p.name}" for p in sorted(SITE.glob("*.md"))}
    for p in sorted(ROOT.glob("notebooks/*.ipynb")) + sorted(ROOT.glob("notebooks/exercises/*.ipynb")):
        found[p.relative_to(ROOT).as_posix()] = p.relative_to(ROOT).as_posix()
    for name, path in [
        ("guide.md", "README.md"), ("data.md", "data/README.md"), ("cluster.md", "cluster/README.md"), ("bench.md", "bench/README.md"),
        ("exercises.md", "notebooks/exercises/README.md"), ("lectures.md", "notebooks/exercises/LECTURES.md"),
        ("instructors.md", "notebooks/exercises/INSTRUCTORS.md"), ("authors.md", "notebooks/exercises/AUTHORS.md"),
    ] + [(f"bench-{p.stem}.md", f"bench/{p.name}") for p in sorted(ROOT.glob("bench/*.md")) if p.name != "README.md"]:
        if (ROOT / path).exists():
            found[name] = path
    return found


def whole(path):
    """The notebook in path, which has run to its end. What the students get has not run at all."""
    try:
        notebook = runner.read(ROOT / path)
    except runner.BadNotebook as err:
        raise Wrong(f"{path}: {err}") from err
    if not notebook.cells:
        raise Wrong(f"{path}: no cells")
    students = posixpath.dirname(path) == posixpath.dirname(SOLUTIONS)
    if not (students and all(cell.execution_count is None for _, cell in runner.code_cells(notebook))):
        for finding in runner.check(notebook):
            raise Wrong(f"{path}: {finding}: run `make notebooks`")
    return notebook


class Layout:
    """The folder of pages that Sphinx reads."""

    def __init__(self, folder):
        self.folder = folder
        self.pages = pages()
        self.name = {path: name for name, path in self.pages.items()}
        self.name.update({"CITATION.cff": "cite.md", "cmd/jsq": "cli.md", "plots": "api/plots.md", "notebooks": "index.md", SOLUTIONS: "solutions.md"})
        for path in [p.relative_to(ROOT).as_posix() for p in [ROOT / "jsqlib", *ROOT.glob("jsqlib/*")] if list(p.glob("doc.go"))]:
            self.name[path] = f"api/{posixpath.basename(path)}.md"
        for name, path in self.pages.items():  # a folder is its README
            if path.endswith("/README.md"):
                self.name[posixpath.dirname(path)] = name

    def write(self, name, text):
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def file(self, name, path):
        """Put a file of the repository into the site as it is; the target of a link to it in the page name."""
        target = self.folder / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        return "path:" + posixpath.relpath(f"files/{path}", posixpath.dirname(name) or ".")

    def link(self, name, path, target):
        """What a link to target, in the page name that comes from path, becomes: None if there is nothing to show."""
        target, hash, anchor = target.partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return target + hash + anchor
        full = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        if full in self.name:
            to = self.name[full]
        elif (ROOT / full).is_file():
            return self.file(name, full)
        elif (ROOT / full).is_dir():
            return None
        else:
            raise Wrong(f"{path}: link to {target}: no such file")
        return posixpath.relpath(to, posixpath.dirname(name) or ".") + hash + anchor

    def links(self, name, path, markdown):
        """The text with its links made those of the site; code is left alone."""

        def change(match):
            to = self.link(name, path, match[2])
            if to is None:
                return match[1][1:-1]
            if match[1].startswith("!"):
                to = to.removeprefix("path:")
            return f"{match[1]}({to})"

        parts = re.split(r"(^```.*?^```|`[^`\n]+`)", markdown, flags=re.M | re.S)
        return "".join(part if n % 2 else LINK.sub(change, part) for n, part in enumerate(parts))

    def markdown(self, name, path):
        text = self.links(name, path, (ROOT / path).read_text(encoding="utf-8"))
        if name == "guide.md":
            text = text.replace("# jsqlab\n", "# Guide\n", 1)
        self.write(name, text)

    def notebook(self, name, path):
        notebook = whole(path)
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = self.links(name, path, cell["source"])
            for output in cell.get("outputs", []):
                alt = output.get("metadata", {}).get("alt")
                if alt:
                    cell["metadata"]["mystnb"] = {"image": {"alt": alt}}
        download = self.file(name, path)
        first = notebook["cells"][0]
        first["source"] = re.sub(r"\A(# .*\n)", rf"\1\n[Download this notebook]({download})\n", first["source"] + "\n", count=1)
        self.write(name, json.dumps(notebook))

    def figure(self, start):
        """Put the first figure of the notebooks whose description begins so into result.png."""
        import base64

        for path in self.name:
            if path.endswith(".ipynb"):
                for cell in whole(path)["cells"]:
                    for output in cell.get("outputs", []):
                        alt = output.get("metadata", {}).get("alt", "")
                        if alt.startswith(start):
                            data = output["data"]["image/png"]
                            (self.folder / "result.png").write_bytes(base64.b64decode(data))
                            return
        raise Wrong(f"no figure in the notebooks whose description begins {start!r}")

    def commands(self, binary):
        """The reference of the command, from its own help."""
        help = [(None, run(binary, "help", stdout=subprocess.PIPE).stdout)]
        for name in re.findall(r"^  (\w+) {2,}", help[0][1], re.M):
            help.append((name, run(binary, "help", name, stdout=subprocess.PIPE).stdout))
        text = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n# Command reference\n\nWhat `jsq help` and `jsq help COMMAND` print. Build the command by `go build -o build/jsq ./cmd/jsq`.\n"
        for name, said in help:
            text += (f"\n## jsq {name}\n" if name else "") + f"\n```text\n{said.strip()}\n```\n"
        self.write("cli.md", text)

    def cite(self):
        """How to cite, from CITATION.cff."""
        cff = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
        paper = cff["references"][0]
        arxiv = next(i["value"] for i in paper["identifiers"] if i["value"].startswith("arXiv:"))

        def names(people, form):
            return " and ".join(p.get("name") and "{" + p["name"] + "}" or form.format(**p) for p in people)

        people = names(paper["authors"], "{given-names} {family-names}")
        bib = names(paper["authors"], "{family-names}, {given-names}")
        who = names(cff["authors"], "{family-names}, {given-names}")
        first, rest = cff["title"].split(":", 1)
        self.write("cite.md", f"""# How to cite

Please cite the paper for its theorems, with its version, and this software for numbers and figures.

## The paper

{people.replace("{", "").replace("}", "")}, *{paper["title"]}*, [{arxiv}]({paper["url"]}), {paper["year"]}.
{paper["identifiers"][0]["description"]}

```bibtex
@misc{{HurtadoLangeMaguluri{paper["year"]},
  title  = {{{paper["title"]}}},
  author = {{{bib}}},
  year   = {{{paper["year"]}}},
  note   = {{{arxiv}}},
  doi    = {{{paper["doi"]}}},
}}
```

## The software

{who.replace("{", "").replace("}", "")}, *{cff["title"]}*, version {cff["version"]}, licence {cff["license"]}.

```bibtex
@software{{jsqlab,
  title   = {{{{{first}}}:{rest}}},
  author  = {{{who}}},
  version = {{{cff["version"]}}},
  license = {{{cff["license"]}}},
}}
```

[CITATION.cff]({self.file("cite.md", "CITATION.cff")}) has both for programs that read it.
""")

    def solutions(self):
        """The solutions of the exercises, to take away: a page that shows them would be found before the exercises are done."""
        text = "# Solutions\n\nThe exercises with the answers in place: notebooks to open in JupyterLab.\n\n"
        for p in sorted((ROOT / SOLUTIONS).glob("*.ipynb")):
            path = p.relative_to(ROOT).as_posix()
            title = whole(path)["cells"][0]["source"].splitlines()[0].lstrip("# ")
            text += f"* [{title}]({self.file('solutions.md', path)})\n"
        self.write("solutions.md", text)

    def index(self):
        """The front page: its figure, and tables of contents of the pages that are there."""
        text = (SITE / "index.md").read_text(encoding="utf-8")
        self.figure("Discrete time, whole batches to one queue")

        def toc(match):
            entries = []
            for line in match[2].splitlines():
                if line.startswith(":") or not line:
                    entries.append(line)
                else:
                    label, _, pattern = line.rpartition(" <") if line.endswith(">") else ("", "", line + ">")
                    for p in sorted(self.folder.glob(pattern[:-1] + ".*")):
                        if p.suffix in (".md", ".ipynb"):
                            name = p.relative_to(self.folder).with_suffix("").as_posix()
                            entries.append(f"{label} <{name}>" if label else name)
            return match[1] + "\n".join(entries) + match[3]

        text = re.sub(r"(```\{toctree\}\n)(.*?)(\n```)", toc, text, flags=re.S)
        self.write("index.md", self.links("index.md", "site/index.md", text))


def prune(html):
    """Take out of the built site what no page uses. Icons come from jsqlab.css, the menu of jsqlab.js."""
    for page in html.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        unused = "fontawesome|bootstrap" if page.name == "search.html" else "fontawesome|bootstrap|searchtools|language_data|searchindex"
        text = re.sub(r'<link rel="preload" as="script"[^>]*bootstrap[^>]*>\s*', "", text)
        # The theme binds its menus to the first buttons of a page: those of its header, which is not shown here, would be in the way.
        text = re.sub(r'(<header id="pst-header"[^>]*>).*?(</header>)', r"\1\2", text, flags=re.S)
        text = text.replace(f"<title>{NAME} &#8212; {NAME}</title>", f"<title>{TITLE}</title>")
        text = re.sub(rf'<script[^>]*/?(?:{unused})[^">]*\.js[^>]*></script>\s*', "", text)
        text = re.sub(r'<span class="(?:w|p|n|nx)">([^<]*)</span>', r"\1", text)  # code in the colour that it has anyway
        text = text.replace("<img ", '<img loading="lazy" ')
        # A size as style would keep its height in a narrow window; as attributes it says the proportions only.
        text = re.sub(r'(<img [^>]*?) style="width: (\d+)px; height: (\d+)px;"', r'\1 width="\2" height="\3"', text)
        for theirs, ours in NAMED:
            text = text.replace(theirs, ours)
        page.write_text(text, encoding="utf-8")
    static = html / "_static"
    for path in [*static.rglob("*.map"), *static.rglob("*fontawesome*"), *static.rglob("bootstrap*"), *static.rglob("locales"), *static.rglob("webfonts"), *static.rglob("*.LICENSE.txt")]:
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
    for style in static.rglob("*.css"):
        style.write_text(re.sub(r"@font-face\s*{[^}]*}", "", style.read_text(encoding="utf-8")), encoding="utf-8")  # of the icons that are gone


def build(out, work):
    for item in work.iterdir():
        shutil.rmtree(item) if item.is_dir() else item.unlink()
    source, html = work / "source", work / "html"
    layout = Layout(source)
    source.mkdir(parents=True)
    run("go", "build", "-o", str(work / "jsq"), "./cmd/jsq")
    run("go", "run", "./site/godoc", str(source / "api"), "jsqlib", "plots")
    layout.commands(str(work / "jsq"))
    layout.cite()
    layout.solutions()
    for name, path in layout.pages.items():
        if name.endswith(".ipynb"):
            layout.notebook(name, path)
        elif name != "index.md":
            layout.markdown(name, path)
    layout.index()

    # The environment of a notebook server or of another Sphinx must not change the site.
    run(sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", str(SITE), "-d", str(work / "doctrees"), str(source), str(html))
    prune(html)
    import importlib.util

    mathjax = Path(importlib.util.find_spec("sphinx-mathjax-offline").origin).parent / "static" / "mathjax"
    for part in MATHJAX:
        target = html / "_static" / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (mathjax / part).is_dir() else shutil.copyfile)(mathjax / part, target)
    explorer = SITE / "explorer" / "build.sh"
    if explorer.exists():
        run("sh", str(explorer), str(html / "_static" / "explorer"))
    (html / ".nojekyll").touch()
    (html / MARK).write_text("made by site/build.py, which may replace this folder\n", encoding="utf-8")

    old = work / "old"
    if out.exists():
        out.rename(old)
    html.rename(out)


def target(text):
    """The folder to build: a new one, an empty one, or a site that this program made."""
    out = Path(text).absolute()
    replaceable = out.is_dir() and not out.is_symlink() and ((out / MARK).is_file() or not any(out.iterdir()))
    if not replaceable and os.path.lexists(out):
        raise argparse.ArgumentTypeError(f"{text} is there and is not a site: want a new or empty folder, or one that an earlier run made")
    return out


@program.ends()
def main(argv):
    parser = program.Parser(prog="build.py", description="Build the companion site.")
    parser.add_argument("out", nargs="?", type=target, default=ROOT / "build" / "site", metavar="OUTDIR", help="where (build/site)")
    out = parser.parse_args(argv).out
    work = out.with_name(f".{out.name}.jsqlab-part")
    work.mkdir(parents=True, exist_ok=True)
    with open(work.with_suffix(".lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise program.Failed(f"{os.path.relpath(out)} is being built already") from None
        try:
            build(out, work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
            os.unlink(lock.name)
    pages = sum(1 for _ in out.rglob("*.html"))
    print(f"site: {pages} pages in {os.path.relpath(out)}")
    return 0


if __name__ == "__main__":
    program.start(main)
