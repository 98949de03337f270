# JupyterLab on the notebooks, with the Go kernel. Everything is set up when the image is built: a container needs no network.
# The same file serves docker/compose.yaml, .devcontainer and Binder.
FROM golang:1.26.8-bookworm AS go

FROM python:3.11.13-slim-bookworm
COPY --from=go /usr/local/go /usr/local/go

# Binder chooses the user.
ARG NB_USER=jovyan
ARG NB_UID=1000
RUN useradd --create-home --uid ${NB_UID} --shell /bin/bash ${NB_USER}
ENV USER=${NB_USER} \
    HOME=/home/${NB_USER} \
    PATH=/home/${NB_USER}/jsqlab/.venv/bin:/usr/local/go/bin:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin \
    SHELL=/bin/bash \
    LANG=C.UTF-8 \
    GOTOOLCHAIN=local \
    PYTHONDONTWRITEBYTECODE=1
WORKDIR /home/${NB_USER}/jsqlab
RUN chown ${NB_UID} .
USER ${NB_USER}

# Python packages, Go modules and the kernel: a layer that lasts while their versions do.
COPY --chown=${NB_UID} go.mod go.sum ./
COPY --chown=${NB_UID} tools tools
RUN PIP_NO_CACHE_DIR=1 sh tools/setup.sh

# One notebook is run, so that Go's build cache has what the cells need.
COPY --chown=${NB_UID} . .
RUN go build ./... && python tools/nb.py run --out /tmp/warm notebooks/00-tour.ipynb && rm -rf /tmp/warm

EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8888/api', timeout=4)"]
CMD ["python", "tools/nb.py", "lab", "--no-browser", "--ServerApp.ip=0.0.0.0", "--ServerApp.port=8888", "--ServerApp.port_retries=0"]
