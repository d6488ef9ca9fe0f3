# make        set everything up and build program and library
# make demo   set everything up and watch a mixed-level scene (HEADLESS=1: 10 simulated seconds, then the summary)
# make test   set everything up and pass the tests
# make python set everything up and build the Python package into build/release/python
# make check  what takes too long for every change: both compilers at -O0 to -O3, sanitizers, fuzzing, planted faults (some hours)
# make docs   the documentation as a site of static pages, with live pages of the gallery's scenes, in build/site/html
# make deb    a Debian package; make tarball: an archive that runs wherever it is unpacked
# make bench  set everything up and run the benchmarks, peers included
# make install PREFIX=/usr/local   program, library, headers, scenes and robots, examples, manual page, completions
# make uninstall   removes what the last install wrote
BUILD := build/release
JOBS  := $(shell nproc)
GRADUS := $(BUILD)/apps/cli/gradus
PREFIX ?= /usr/local

.DEFAULT_GOAL := build
.PHONY: demo test check bench docs deb tarball python build everything configure setup-look setup-docs setup-test install uninstall clean help
demo: build
ifdef HEADLESS
	$(GRADUS) run levels --for 10s
else
	$(GRADUS) run levels --view
endif

test: everything
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

check: everything
	tools/check_determinism
	tools/check_sanitizers
	tools/fuzz
	tools/mutate

docs: setup-docs build
	tools/make_site --live

deb tarball: build
	cd $(BUILD) && cpack -G $(if $(filter deb,$@),DEB,TGZ) > cpack.log || { cat cpack.log; exit 1; }
	@ls -t $(BUILD)/gradus*.$(if $(filter deb,$@),deb,tar.gz) | head -1

bench: setup-test build
	$(GRADUS) bench

python: setup-test configure
	cmake --build $(BUILD) -j $(JOBS) --target gradus_python
	@echo "PYTHONPATH=$(BUILD)/python python3 -c 'import gradus'"

# Program and library only: tests take twice as long to build, and those who want to look need not wait for them.
build: configure
	cmake --build $(BUILD) -j $(JOBS) --target gradus gradus_cli

everything: setup-test configure
	cmake --build $(BUILD) -j $(JOBS)

configure: setup-look
	@cmake --preset release > $(or $(TMPDIR),/tmp)/gradus-configure.log 2>&1 || { cat $(or $(TMPDIR),/tmp)/gradus-configure.log; exit 1; }

# A look must not install compilers and browsers that only the tests need.
setup-look:
	@tools/setup look
setup-docs:
	@tools/setup docs
setup-test:
	@tools/setup test

# DESTDIR is put before PREFIX, for those who make packages.
install: build
	cmake --install $(BUILD) --prefix $(PREFIX) > $(BUILD)/install.log
	@echo "installed: $(DESTDIR)$(PREFIX)/bin/gradus"

uninstall:
	@[ -f $(BUILD)/install_manifest.txt ] || { echo "nothing was installed from here"; exit 1; }
	sed 's|^|$(DESTDIR)|' $(BUILD)/install_manifest.txt | xargs -d '\n' rm -f

clean:
	rm -rf build out

help:
	@sed -n 's/^# //p' Makefile
