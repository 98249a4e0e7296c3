# Baton. `make help` lists what there is.
SHELL := /bin/bash
.DELETE_ON_ERROR:

# What the programs link and the packages that provide it.
BUILD_PACKAGES := libsystemd-dev libsqlite3-dev libssl-dev libsecp256k1-dev libqrencode-dev pkg-config
TEST_PACKAGES := $(BUILD_PACKAGES) python3-venv openssl sqlite3
BENCH_PACKAGES := $(TEST_PACKAGES) gcc libc6-dev strace procps
PREFIX ?= /usr/local
PROGRAMS := batond batonctl baton-sandbox
SWIFT_SOURCES := Package.swift Sources Tests Benchmarks

.PHONY: help build test generate lint format demo bench install clean deps swift

help: ## Show this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

swift:
	@command -v swift >/dev/null || { echo "Swift 6.2 or newer is missing: see https://swift.org/install" >&2; exit 1; }

deps: swift
	@scripts/install-deps $(BUILD_PACKAGES)

build: deps ## Build the programs (debug).
	swift build

test: swift ## Run all tests, with real relays and clients.
	@scripts/install-deps $(TEST_PACKAGES)
	@scripts/venv
	@scripts/varlinkctl
	swift build --build-tests
	swift test --skip-build --skip SimulationTests
	@# By itself: it takes all cores for minutes, and the tests above have real timers.
	BATON_SEEDS=10000 swift test --skip-build --filter SimulationTests

generate: swift ## Write the Swift types of the control interfaces from their .varlink files.
	swift run baton-generate Sources/ControlAPI/interfaces Sources/ControlAPI/Generated
	swift format --in-place --recursive Sources/ControlAPI/Generated

lint: swift ## Check the layout of the sources.
	swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)

format: swift ## Lay the sources out.
	swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

demo: build ## Run three relays and the daemon, create a channel, lose a relay and get it back.
	@scripts/demo

bench: swift ## Measure against limits in the same run.
	@scripts/install-deps $(BENCH_PACKAGES)
	@scripts/venv
	@scripts/bench

install: deps ## Build for release and install below $(DESTDIR)$(PREFIX).
	for program in $(PROGRAMS); do swift build -c release --static-swift-stdlib --product $$program || exit 1; done
	install -d $(DESTDIR)$(PREFIX)/bin
	for program in $(PROGRAMS); do install -s -m 755 .build/release/$$program $(DESTDIR)$(PREFIX)/bin/; done
	install -d $(DESTDIR)$(PREFIX)/share/doc/baton/operators.d
	install -m 644 etc/operators.d/*.example $(DESTDIR)$(PREFIX)/share/doc/baton/operators.d/

clean: ## Remove everything that was built.
	rm -rf .build
