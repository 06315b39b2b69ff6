# `make help` lists all targets. Only Node 22 or newer and make are needed.
MAKEFLAGS += --no-print-directory
SHELL := /bin/sh
BIN := node_modules/.bin
# These settings halve the CPU time: several checkers would check the same types again, and garbage collection is not needed.
TSC := GOGC=off $(BIN)/tsc --checkers 1
QAL := bin/qal

export npm_config_update_notifier := false
export npm_config_audit := false
export npm_config_fund := false

SOURCE_FOLDERS := manifests extension host-shim db
SOURCES := $(shell find $(SOURCE_FOLDERS) -type f) $(wildcard tests/support/*.ts) \
	tsconfig.json tsconfig.build.json package.json $(shell find docs -type f) $(wildcard *.md)
# Files that the program reads, copied next to the compiled code.
ASSETS := $(shell find $(SOURCE_FOLDERS) -type f ! -name '*.ts' ! -name '*.css')

# Only these types, and the types that they refer to, are published.
TESTING_TYPES := dist/tests/support/test-host.d.ts

FOLDER := releases

.DEFAULT_GOAL := help
# There are folders with these names.
.PHONY: bench docs

# With an older Node, everything runs on Node 24, which npm fetches once and keeps in its cache.
node_24 = $(shell npm exec --yes --package=node@24 --loglevel=error $(1) -- sh -c 'dirname "$$(command -v node)"' 2>/dev/null | tail -n 1)
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
ifneq ($(shell node -p 'process.versions.node.split(".")[0] >= 22' 2>/dev/null),true)
NODE_FOLDER := $(call node_24,--offline)
ifeq ($(NODE_FOLDER),)
$(shell echo "This Node.js is older than 22: fetching Node.js 24 with npm ..." >&2)
NODE_FOLDER := $(call node_24,--fetch-retries=1 --fetch-retry-mintimeout=1000)
endif
ifeq ($(NODE_FOLDER),)
$(error Node.js 22 or newer is needed, and npm could not fetch it. Install Node.js 24: https://nodejs.org)
endif
export PATH := $(NODE_FOLDER):$(PATH)
endif
endif

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## install, build and start the program with its own database (PORT, DATA_DIR, DATABASE_URL ...)
	@[ -n "$$DATABASE_URL" ] || export QAL_DEMO="$${QAL_DEMO:-on}"; exec $(QAL) serve

test: install ## run all tests; ARGS="tests/db -t adopt" runs some, TEST_DATABASE_URL names a server, CHROMIUM_PATH a browser
	@exec node --max-semi-space-size=64 $(BIN)/jest $(ARGS)

test-long: install ## test every way to plan a query, with more random data; run it after changes to plan, sql or data, and before a release
	@QAL_TEST_LONG=1 exec node --max-semi-space-size=64 $(BIN)/jest $(or $(ARGS),tests/language tests/query tests/data tests/pages/.*-query tests/pages/excluded-visits)

mutants: install ## change one operator or number at a time and run the related tests (takes hours); SEED, COUNT=40
	@exec $(BIN)/tsx tests/support/mutants.ts $(or $(SEED),1) $(or $(COUNT),40)

install: node_modules/.installed ## bring node_modules up to date with package-lock.json

node_modules/.installed: package-lock.json
	@echo "Installing packages ..."
	@npm ci --loglevel=error >/dev/null
	@touch $@

build: dist/.built ## compile to dist/

dist/.built: node_modules/.installed $(SOURCES)
	@echo "Building ..."
	@rm -rf dist
	@$(TSC) -p tsconfig.build.json
	@$(BIN)/tsc --ignoreConfig --types node --listFilesOnly $(TESTING_TYPES) >dist/.files
	@sed -n 's|.*/dist/|dist/|p' dist/.files | sort >dist/.types
	@find dist -name '*.d.ts' | sort | comm -23 - dist/.types | xargs rm
	@$(BIN)/tsx docs/bundle-browser-modules.ts
	@$(BIN)/tsx docs/render-docs.ts
	@for file in $(ASSETS); do mkdir -p "dist/$${file%/*}" && cp "$$file" "dist/$$file" || exit 1; done
	@touch $@

test-sql: install ## update the expected SQL next to the case files in tests/language/cases
	@UPDATE_SQL=1 $(BIN)/jest --silent tests/language/cases.test.ts -t '^SQL '

test-citus: install ## test cases, imports and random queries on a Citus cluster: CITUS_URLS="<coordinator> <worker> ..." (docs/how-to/several-machines.md)
	@exec $(BIN)/tsx tests/support/citus/run.ts "$(CITUS_URLS)" "$(FUZZ_SEED)"

fuzz: install ## compare random queries with the reference interpreter until one differs; FUZZ_SEED repeats a run, ARGS="--rounds=3 gsc allpv" limits it
	@exec $(BIN)/tsx tests/language/interpreter/fuzz.ts "$(FUZZ_SEED)" $(ARGS)

fuzz-imports: install ## import, correct, undo and remove at random until a site differs from one that was imported all at once; FUZZ_SEED repeats a run
	@FUZZ_RUNS=1000000 FUZZ_SEED="$${FUZZ_SEED:-$$(date +%s)}" $(BIN)/jest tests/data/import/random-history.test.ts

torture: build ## try to break the program, and count failures (docs/reliability.md); ARGS="kill overload" limits it; SEED, TRIES, MINUTES
	@exec $(BIN)/tsx tests/torture/run.ts $(ARGS)

check: lint types architecture generated ## run all static checks: style, types, architecture, generated files

lint: install ## check style and find common mistakes
	@$(BIN)/biome check

types: install ## run the type checker
	@$(TSC) --noEmit -p .
	@$(TSC) --noEmit -p tsconfig.browser.json

architecture: install ## check imports, style rules and the names in the manifests
	@$(BIN)/jest --silent tests/architecture tests/manifests/cross-check

generated: install ## fail if a generated file is out of date
	@$(BIN)/jest --silent tests/docs/reference tests/db/schema

bench: dist/.bench ## benchmark this machine (takes minutes); SIZE=10m runs the full comparison, which writes docs/performance.md
	@exec node dist/bench/run.js $(if $(SIZE),--size $(SIZE)) $(ARGS)

# Compiled into dist/, so that the benchmark measures the built program.
dist/.bench: dist/.built $(shell find bench -type f) tsconfig.bench.json
	@$(TSC) -p tsconfig.bench.json
	@touch $@

docs: install ## rebuild docs/reference
	@$(BIN)/tsx docs/generate.ts

schema: install ## rebuild db/schema.sql and db/migrations.sha256
	@$(BIN)/tsx docs/generate-schema.ts

upgrade-fixture: install ## before a release: write a database with this schema for the upgrade test
	@$(BIN)/tsx tests/db/upgrade/write-fixture.ts

published: install ## before a release: record what each contract guarantees, for the test that checks that later releases keep it
	@$(BIN)/tsx tests/api/contracts/freeze.ts && $(BIN)/biome format --write tests/api/contracts/published

package: build ## pack the npm package with its SBOM into FOLDER (releases/)
	@mkdir -p $(FOLDER)
	@npm pack --silent --pack-destination $(FOLDER) >/dev/null
	@npm sbom --sbom-format cyclonedx --sbom-type application --omit dev --package-lock-only \
		>$(FOLDER)/qal-analytics-$(shell node -p 'require("./package.json").version').cdx.json
	@ls -l $(FOLDER)

try-package: ## start the package in FOLDER with npx, as on a new machine, and query the demo; MAX_SECONDS=600, VIEWS (all of them)
	@exec .ci/try-package.mjs $(FOLDER)/*.tgz $(or $(MAX_SECONDS),600) $(VIEWS)

release: install ## prepare VERSION in a clean clone: checks, package, SBOM, image, commit and tag; prints how to publish it
	@exec .ci/release "$(VERSION)"

audit: install ## count known vulnerabilities in the packages installed with the program, if the registry supports audits
	@exec .ci/audit

update: ## once a month: update package-lock.json to packages that are at least a week old; package.json does not change
	@npm update --package-lock-only --omit-lockfile-registry-resolved --before=$$(node -p 'new Date(Date.now() - 7 * 864e5).toISOString()') --loglevel=error
	@$(MAKE) install audit
	@$(BIN)/jest --silent tests/architecture/licenses.test.ts
	@echo "Newer versions than those in package.json:"; npm outdated || true

fmt: install ## format the code
	@$(BIN)/biome check --write

screenshots: install ## update docs/pictures from the demo; look at them before you commit
	@$(BIN)/tsx tests/pages/browser/take-screenshots.ts

clean: ## remove build output (never data/)
	@rm -rf dist coverage
