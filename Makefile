# make reproduce (or just make): run every notebook from scratch, check it, and render it under build/.
# The first run makes .venv and needs the network; later runs do not. Go and Python versions: tools/setup.sh says what it misses.

# Packages whose goroutines share memory: their short tests run once more, under the race detector.
RACE = jsqlib/internal/reps jsqlib/sim jsqlib/study jsqlib/wasserstein
nb = .venv/bin/python tools/nb.py

export GOTOOLCHAIN = local
export GOWORK = off
export GOFLAGS = -mod=readonly -buildvcs=false
export PYTHONDONTWRITEBYTECODE = 1
unexport PYTHONPATH PYTHONHOME
.NOTPARALLEL:
.PHONY: reproduce notebooks exercises lab data bench site setup cc test test-long vet fmt test-go test-race test-tools test-notebooks test-cluster test-image test-browser clean

reproduce: setup
	@$(nb) run notebooks

notebooks: setup  # for authors: run the notebooks and keep their outputs
	@$(nb) run --inplace notebooks

exercises: setup  # for authors: make the students' versions from the solutions
	@.venv/bin/python tools/exercises.py make

lab: setup  # options for JupyterLab: make lab LAB="--no-browser"
	@$(nb) lab $(LAB)

data: setup  # compute the tables in data/ again, and compare; goes on where it was stopped; other random streams: make data SEED=2
	@.venv/bin/python tools/data.py check $(if $(SEED),--seed $(SEED))

site: setup  # the companion as web pages, in build/site: put them on any web server
	@.venv/bin/python site/build.py

bench:  # measure beside other programs, about half an hour; with the notebooks: make bench NOTEBOOKS=1; goes on where it was stopped
	@$(if $(NOTEBOOKS),sh tools/setup.sh,:)
	@sh bench/setup.sh
	@build/bench/venv/bin/python bench/bench.py $(if $(NOTEBOOKS),--notebooks)

setup:
	@sh tools/setup.sh

test: vet fmt test-go test-race test-tools test-notebooks  # four minutes on two cores: small samples, small systems
	@echo "ok  	jsqlab"

# All tests in full, half an hour on two cores: what make test leaves out is coverage over many seeds, large systems, all wrong answers, and
# the race detector on the whole library.
test-long: setup cc
	PATH="$$PWD/.venv/bin:$$PATH" go test -timeout 60m ./...
	CGO_ENABLED=1 go test -race -timeout 60m ./jsqlib/...
	@.venv/bin/python -m unittest discover -s tools
	@echo "ok  	jsqlab, in full"

vet: setup  # ST1005: messages that begin with the name of a quantity, "E U = 3", have a capital letter
	go vet ./...
	go tool staticcheck -checks inherit,-ST1005 ./...
	@.venv/bin/python tools/deadcode.py

fmt: setup
	@bad=$$(find . -name '*.go' ! -path './.venv/*' ! -path './build/*' -exec "$$(go env GOROOT)/bin/gofmt" -l {} +) && \
	if [ -n "$$bad" ]; then echo "$$bad"; echo "FAIL	gofmt -l"; exit 1; fi

test-go: setup  # with this repository's Python first on the path, for tests that compare with SciPy
	PATH="$$PWD/.venv/bin:$$PATH" go test -short -timeout 30m ./...

test-race: setup cc
	CGO_ENABLED=1 go test -race -short -timeout 30m $(addprefix ./,$(RACE))

cc:
	@CC=$$(go env CC); command -v "$${CC%% *}" >/dev/null || { echo "jsqlab: no C compiler found, go test -race needs one: install gcc" >&2; exit 2; }

test-tools: setup
	@JSQLAB_SHORT=1 .venv/bin/python -m unittest discover -s tools

test-notebooks: setup
	@$(nb) run --compare notebooks

test-cluster:  # not part of test: needs Slurm on this machine, and the network for the published Kubernetes schemas
	bash cluster/slurm/test.sh
	sh cluster/kubernetes/test.sh

test-browser: site  # not part of test: needs Chromium, and node with npm
	@command -v npm >/dev/null || { echo "site test: npm not found: install node 20 or newer with npm (Debian, Ubuntu: apt-get install nodejs npm)" >&2; exit 2; }
	@cd site/test && node browser.mjs && npm ci --silent && node --test --test-concurrency=1 site.test.mjs explorer.test.mjs lab.test.mjs

test-image:  # not part of test: builds the container image, by docker or podman, or by buildah on stand-in bases
	bash docker/test.sh

clean:
	rm -rf .venv build
