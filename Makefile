# Baton. `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DELETE_ON_ERROR:

# The libraries that the programs link, and the packages that provide them.
BUILD_PACKAGES := libsystemd-dev libsqlite3-dev libssl-dev libsecp256k1-dev libqrencode-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) python3-venv openssl sqlite3 postgresql procps
# With these, the tests include a browser and a Prometheus.
BROWSER_PACKAGES := chromium chromium-driver fonts-dejavu-core prometheus
BENCH_PACKAGES := $(TEST_PACKAGES) libpq-dev gcc libc6-dev strace procps
DEB_PACKAGES := $(BUILD_PACKAGES) debhelper dpkg-dev fakeroot python3 systemd
SYSTEM_TEST_PACKAGES := $(DEB_PACKAGES) lintian mmdebstrap systemd-container
SWIFT_SOURCES := Package.swift Sources Tests Benchmarks examples

# The folders of `make install`, all below $(DESTDIR).
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
PROGRAMDIR ?= $(PREFIX)/lib/baton
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/baton
UNITDIR ?= $(PREFIX)/lib/systemd/system
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
# The folder of the program that is installed, and what strips it.
BIN ?= .build/release
STRIP ?= strip
# yes or no: whether the service is of Type=notify-reload, which systemd knows from version 253 on; this machine's version decides.
NOTIFY_RELOAD ?= $(shell pkg-config --atleast-version=253 libsystemd && echo yes || echo no)

.PHONY: help build test test-all test-deps test-simplex test-system system-tools generate lint format demo demo-cluster bench mutants release install install-files install-console deb clean console-pictures deps swift

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

swift:
	@command -v swift >/dev/null || { echo "Swift 6.2 or newer is missing: see https://swift.org/install" >&2; exit 1; }

deps: swift
	@scripts/install-deps $(BUILD_PACKAGES)

build: deps ## Build the programs (debug).
	@scripts/build

test: test-deps ## Run the tests that every change must pass, with real relays and clients.
	@scripts/test

test-all: test-deps system-tools ## Run these and what takes long: storms, many seeds, both stores, packages on two releases of Debian.
	@scripts/test --all

test-deps: swift
	@scripts/install-deps $(TEST_PACKAGES)
	@scripts/install-deps $(BROWSER_PACKAGES) || echo 'The tests run without a browser, or without Prometheus.' >&2

generate: swift ## Write the Swift types and clients of the control interfaces from their .varlink files.
	swift run baton-generate Sources/ControlAPI/interfaces Sources
	swift format --in-place --recursive Sources/ControlAPI/Generated Sources/BatonClient/Generated

test-simplex: swift ## Try CORE=/path/to/simplex-chat, and create a channel if RELAYS="address address" are given.
	@[ -n "$(CORE)" ] || { echo 'CORE=/path/to/simplex-chat is missing' >&2; exit 1; }
	@command -v '$(CORE)' >/dev/null || { echo 'there is no program $(CORE)' >&2; exit 1; }
	BATON_SIMPLEX_CORE="$$(realpath "$$(command -v '$(CORE)')")" BATON_SIMPLEX_RELAYS='$(RELAYS)' \
	  scripts/test SimpleXTests --filter RealCoreTests

test-system: system-tools ## Build the package and try it under a real systemd, in a container; needs root.
	@Tests/System/run

# With these, `make test` includes the tests under a real systemd.
system-tools:
	@scripts/install-deps $(SYSTEM_TEST_PACKAGES)

lint: swift ## Check the layout of the sources and the prose of documents, and name deliberate faults that no longer apply.
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)
	@scripts/prose --check
	@scripts/mutants --check || echo 'make test-all fails until these patches are written again.' >&2

format: swift ## Format the sources.
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

demo: deps ## Run three relays and the daemon, create a channel, publish in it, lose a relay and get it back.
	@. scripts/timing; timed build scripts/build && timed demo scripts/demo; status=$$?; print_times; exit $$status

demo-cluster: build ## Run two daemons on one PostgreSQL database, and lose one while channels are being created.
	@scripts/install-deps postgresql
	@scripts/demo-cluster

console-pictures: build ## Take a picture of each page of the console, for the documents.
	@scripts/install-deps python3-venv $(BROWSER_PACKAGES)
	@scripts/venv
	@scripts/console-pictures

bench: swift ## Measure against limits in the same run; PARTS="rude million" selects parts.
	@scripts/install-deps $(BENCH_PACKAGES)
	@scripts/venv
	@scripts/bench $(PARTS)

mutants: swift ## Apply deliberate faults one by one and name those that no test notices; takes a night. ONLY="2 517" selects some.
	@scripts/install-deps $(TEST_PACKAGES)
	@scripts/venv
	@scripts/varlinkctl
	@scripts/mutants --go-on $(ONLY)

release: deps ## Build for release.
	@scripts/build-release --product baton

install: release install-files install-console ## Build for release and install below $(DESTDIR)$(PREFIX).
	@[ -n "$(DESTDIR)" ] || printf '%s\n' 'Installed. Users, folders, messages and units become known with:' \
	  '  systemd-sysusers; systemd-tmpfiles --create batond.conf; journalctl --update-catalog; systemctl daemon-reload' \
	  '  systemctl enable --now batond.socket batond.service'

# One of the names under which the program runs (docs/decisions/0018-one-program.md), with its completions.
define install-name
	ln -srfn $(DESTDIR)$(PROGRAMDIR)/baton $(DESTDIR)$(BINDIR)/$(1)
	$(BIN)/baton $(1) --generate-completion-script bash | sed '1{/^#!/d}' >$(DESTDIR)$(BASHDIR)/$(1)
	$(BIN)/baton $(1) --generate-completion-script zsh >$(DESTDIR)$(ZSHDIR)/_$(1)
	$(BIN)/baton $(1) --generate-completion-script fish >$(DESTDIR)$(FISHDIR)/$(1).fish
endef

install-files:
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(PROGRAMDIR) $(UNITDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(DOCDIR)/examples/operators.d \
	  $(PREFIX)/lib/sysusers.d $(PREFIX)/lib/tmpfiles.d $(PREFIX)/lib/systemd/catalog)
	install -m 755 $(BIN)/baton $(DESTDIR)$(PROGRAMDIR)/baton
	$(STRIP) $(DESTDIR)$(PROGRAMDIR)/baton
	$(call install-name,batond)
	$(call install-name,batonctl)
	$(call install-name,baton-sandbox)
	for unit in batond.service batond.socket; do \
	  sed 's|/usr/bin/|$(BINDIR)/|' systemd/$$unit | install -m 644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$unit || exit 1; \
	done
ifeq ($(NOTIFY_RELOAD),yes)
	install -D -m 644 -t $(DESTDIR)$(UNITDIR)/batond.service.d systemd/batond.service.d/notify-reload.conf
endif
	install -m 644 systemd/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/batond.conf
	install -m 644 systemd/tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/batond.conf
	install -m 644 systemd/batond.catalog $(DESTDIR)$(PREFIX)/lib/systemd/catalog/batond.catalog
	for page in $(filter-out docs/man/baton-console.1,$(wildcard docs/man/*)); do install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$${page##*.} $$page || exit 1; done
	install -m 644 etc/batond.yaml.example systemd/simplex-core.service $(DESTDIR)$(DOCDIR)/examples/
	install -m 644 etc/operators.d/*.example $(DESTDIR)$(DOCDIR)/examples/operators.d/
	for example in feed-to-channel moderation-bot bridge digest; do \
	  install -D -m 644 -t $(DESTDIR)$(DOCDIR)/examples/$$example examples/$$example/* || exit 1; \
	done

# The name and the units of the console, which the daemon does without.
install-console:
	install -d $(addprefix $(DESTDIR),$(BINDIR) $(UNITDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(PREFIX)/lib/sysusers.d $(PREFIX)/lib/systemd/catalog)
	$(call install-name,baton-console)
	for unit in baton-console.service baton-console.socket baton-console-login.socket baton-console-metrics.socket \
	  baton-console-report.socket; do \
	  sed 's|/usr/bin/|$(BINDIR)/|' systemd/$$unit | install -m 644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$unit || exit 1; \
	done
	install -m 644 systemd/baton-console.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/baton-console.conf
	install -m 644 systemd/baton-console.catalog $(DESTDIR)$(PREFIX)/lib/systemd/catalog/baton-console.catalog
	install -D -m 644 -t $(DESTDIR)$(MANDIR)/man1 docs/man/baton-console.1

deb: ## Build the Debian packages into .build/deb, print their sizes and check them.
	@scripts/install-deps $(DEB_PACKAGES)
	@scripts/deb
	@if command -v lintian >/dev/null; then lintian --allow-root --fail-on error,warning .build/deb/*.changes; \
	else echo 'lintian is not installed: the package was not checked'; fi

clean: ## Remove everything that was built.
	rm -rf .build
