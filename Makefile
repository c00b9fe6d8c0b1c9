# All commands for developers. `make` alone lists them.

# Compiled dependencies and Python environments, shared by all clones on this machine.
export DOCMILL_CACHE ?= $(HOME)/.cache/docmill
export CARGO_TARGET_DIR ?= $(DOCMILL_CACHE)/target
export SAM_CLI_TELEMETRY = 0

# What the local stack and the tests run.
BUILT = worker local-functions docmill docmill-admin

# The local stack's commands, in its own Python environment.
LOCAL = PYTHONPATH=infra "$$(infra/setup.sh python local)" -m local

.DEFAULT_GOAL := help
.PHONY: help setup ready build run up down clean-local test test-standin test-browser test-n8n test-n8n-journey test-contract test-dynamodb-local test-localstack test-cloudformation test-corpus reports screenshots rights description check check-rust check-description check-template check-deployment check-licences check-local check-cost check-arm64 licences build-release build-cli bench bench-extract bench-fidelity fidelity-causes bench-table bench-api bench-privileges bench-sweeper bench-wait bench-webhooks soak strangers damaged load load-batch load-crowd fuzz cost build-lambda release deployer-policy test-image test-generators test-clients check-clients clients

help: ## Show this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F '\t' '{ printf "  %-15s %s\n", $$1, $$2 }'
	@echo
	@echo "  Settings, as in \`make up PORT=4600\`: PORT (4566), SAMPLES_PORT (8001), SOURCE_EXCEPTIONS (host:port,…), LOG_LEVEL"

setup: ## Install what is missing on this machine: system packages and pinned Python packages
	@infra/setup.sh system
	@infra/setup.sh python local >/dev/null
	@infra/setup.sh python templates >/dev/null
	@infra/setup.sh validators >/dev/null

# At the same time: installing mostly waits for the network, compiling never.
ready: ## Install what is missing, and compile everything
	@infra/setup.sh compiler
	@$(MAKE) --no-print-directory setup & setup=$$!; $(MAKE) --no-print-directory build || { wait $$setup; exit 1; }; wait $$setup

# All functions but the worker are one program here, since each is slow to link: `--bins` would link them one by one.
build: ## Compile every function and the programs, as the local stack runs them
	@cargo fetch --quiet || { echo "Error: cargo could not fetch the crates: is there a network?" >&2; exit 1; }
	cargo build --workspace $(BUILT:%=--bin %)

run: ready ## Run the whole stack in the foreground, until Ctrl-C
	@$(LOCAL) run

up: ready ## Run the whole stack in the background, or update the running one with the latest build
	@$(LOCAL) up

down: ## Stop the background stack; its data is kept
	@$(LOCAL) down

clean-local: ## Stop the stack and remove its data, keys and logs
	@$(LOCAL) clean

test: ready ## Run all tests, with a stack of their own (or only storage, at AWS_ENDPOINT_URL)
	@LOG_LEVEL=debug DOCMILL_REQUIRE_STACK=$(if $(AWS_ENDPOINT_URL),,1) $(LOCAL) with-stack -- env PYTHONPATH=infra "$$(infra/setup.sh python local)" -m local.suites
	@$(if $(AWS_ENDPOINT_URL),,start=$$(date +%s); $(LOAD) --jobs 50 --clients 10 --kills 4 --with-batch 200 --patience 600 && echo "  $$(($$(date +%s) - start)) s  load")

test-browser: ready ## Run the journeys in a browser alone (FILES='tests/browser/public.test.mjs …')
	@$(LOCAL) with-stack -- tests/browser/run.sh $(FILES)

test-clients: ready ## Run the clients' conformance suite alone (ONLY='python go …', NAME=part of a scenario's name)
	@$(LOCAL) with-stack -- clients/conformance/run.sh $(if $(NAME),--name '$(NAME)') $(ONLY)

test-standin: ready ## Run the worker in the stand-in for Lambda, under AWS's emulator of the Runtime API (FROZEN_SECONDS=300)
	@FROZEN_SECONDS=$(or $(FROZEN_SECONDS),5) $(LOCAL) with-stack -- env PYTHONPATH=infra:tests PYTHONDONTWRITEBYTECODE=1 "$$(infra/setup.sh python local)" -m standin

test-n8n: ## Check the n8n node: n8n's linter, fields made from the schemas, build, unit tests
	@clients/n8n/check.sh

test-n8n-journey: ready ## Run the n8n nodes against a stack of their own
	@$(LOCAL) with-stack -- clients/n8n/with-tools.sh npm run --silent journey

# libtest runs nothing, without an error, if a part is in no test's name.
NAMES_EXIST = names=$$(cargo test --quiet --workspace --test it -- --list) || exit; \
	for part in $(NAME); do printf '%s\n' "$$names" | grep -qF -- "$$part" || { echo "Error: no test's name contains $$part" >&2; exit 1; }; done

# Journeys need the deployed stack, and its functions don't use these tables. They are left out if DOCMILL_URL is not set.
test-dynamodb-local: ready ## Run the tests of stores and handlers on AWS's own DynamoDB Local (NAME=parts of tests' names)
	@cargo test --workspace --test it --no-run
	@$(NAMES_EXIST)
	@jars=$$(infra/setup.sh dynamodb-local) && $(LOCAL) with-dynamodb-local "$$jars" -- cargo test --workspace --test it -- $(NAME)

# Left out: the matrix of faults, which takes more than ten minutes there and runs on DynamoDB Local anyway, and the tests with
# fifty requests at once, some of which LocalStack does not answer.
test-localstack: ready ## Run the tests of stores and handlers on LocalStack, without Docker (NAME=…)
	@cargo test --workspace --test it --no-run
	@$(NAMES_EXIST)
	@jars=$$(infra/setup.sh dynamodb-local) && python=$$(infra/setup.sh python localstack) \
		&& $(LOCAL) with-localstack "$$python" "$$jars" -- cargo test --workspace --test it -- $(NAME) \
			--skip fault_matrix::a_job_survives --skip admission::a_thousand_unknown_keys --skip idempotency::fifty_racing

test-cloudformation: setup ## Create, update, roll back and remove the packaged template's stack in moto's CloudFormation
	@PYTHONPATH=infra "$$(infra/setup.sh python localstack)" -m local.cloudformation_tests
	@PYTHONPATH=infra "$$(infra/setup.sh python localstack)" -m deployment.moto_tests

test-corpus: setup ## Convert every real-world and hostile source of tests/corpus, and compare the results
	cargo test --workspace --test corpus -- --ignored

# NAME= a part of the reports' names.
reports: setup ## Convert the input of every report in tests/reports, and compare the results with the right ones (NAME=…)
	cargo build --workspace --bin worker
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m reports --worker "$(CARGO_TARGET_DIR)/debug/worker" $(if $(NAME),--only '$(NAME)')

screenshots: ready ## Write every page of the dashboard as a picture to target/screenshots
	@$(LOCAL) with-stack -- tests/browser/run.sh screenshots "$(CURDIR)/target/screenshots"

# The test waits for leases of killed workers, so they are short here.
LOAD = WORKER_SECONDS=90 $(LOCAL) with-stack -- env PYTHONPATH=infra:tests PYTHONDONTWRITEBYTECODE=1 \
	"$$(infra/setup.sh python local)" -m load
# Adds two accounts, one of which asks for as much as it may: a thousand jobs that wait for one, a hundred sources, slow sources, and
# forty requests that wait.
load-crowd: ready ## Compare small jobs' queue time alone and beside an account at its rate limit
	@RUNNING_JOBS=$(or $(RUNNING_JOBS),1) $(LOAD) --jobs $(or $(JOBS),100) --clients $(or $(CLIENTS),5) --crowd $(or $(CROWD),1000)

load: ready ## Create 2,000 jobs from 50 clients on a stack of its own while workers are killed (JOBS=…, CLIENTS=…, KILLS=…)
	@$(LOAD) --jobs $(or $(JOBS),2000) --clients $(or $(CLIENTS),50) --kills $(or $(KILLS),40)

load-batch: ready ## Create a batch of 10,000 rows on a stack of its own while workers and its runner are killed (ROWS=…, KILLS=…, RUNNER_KILLS=…, PATIENCE=seconds)
	@$(LOAD) --batch $(or $(ROWS),10000) --kills $(or $(KILLS),100) --runner-kills $(or $(RUNNER_KILLS),8) --patience $(or $(PATIENCE),5000)

# TARGET= a part of a test's name, e.g. fuzz_pages. Failing inputs are saved in tests/fuzz/seeds.
fuzz: setup ## Fuzz every parser of untrusted input, each for a minute (TIME=seconds, TARGET=name)
	FUZZ_SECONDS=$(or $(TIME),60) cargo test --package docmill-aws --package docmill-browser --package docmill-domain --package docmill-egress --package docmill-html-basic --package docmill-http --package docmill-invoices --package docmill-mail --package docmill-markdown --package docmill-office --package docmill-office-rewrite --package docmill-package --package docmill-pdf --package docmill-pdf-core --package docmill-pdf-extract --package docmill-pdf-fonts --package docmill-pdf-pdfa --package docmill-pdf-signatures --package docmill-pdf-structure --package docmill-pdf-tag --package docmill-sniff --package docmill-templates --lib $(or $(TARGET),fuzz_) -- --nocapture

rights: ## Write infra/local/rights.txt, after a change of a function's permissions
	@$(LOCAL).rights

description: ## Regenerate the API's description after a change of its parts, schemas or codes
	cargo build --workspace --example write-description
	"$(CARGO_TARGET_DIR)/debug/examples/write-description"

# The same requests each time; SEED=… changes them.
test-contract: ready ## Test a separate stack with requests generated from the API's description (four minutes at most)
	@venv=$$(dirname "$$(infra/setup.sh python contract)") && $(LOCAL) with-stack -- sh -c '"$$0" \
		--config-file tests/schemathesis.toml run "$$DOCMILL_URL/openapi.json" --url "$$DOCMILL_URL" \
		--header "Authorization: Bearer $$DOCMILL_LIVE_KEY" --max-time 180 --seed $(or $(SEED),1)' "$$venv/schemathesis"

# Generated and compiled clients are kept in the cache, until the description, their programs or the generators' versions change.
GENERATORS = env PYTHONPATH=infra:tests PYTHONDONTWRITEBYTECODE=1 python3 -m generators
test-generators: ready ## Generate clients with nine generators from the API's description, and convert a document with each
	@$(GENERATORS) build
	@$(LOCAL) with-stack -- $(GENERATORS) run

check: check-rust check-description check-template check-deployment check-licences check-local check-cost check-clients ## Run all static checks

# Tests must not enable features of dependencies that `make build` does not: these would be compiled a second time.
FEATURES = cargo tree --locked --workspace --prefix none --format '{p} {f}' --edges
check-rust:
	@mkdir -p "$(CARGO_TARGET_DIR)"
	@$(FEATURES) normal,build | sed 's/ (\*)//' | sort -u >"$(CARGO_TARGET_DIR)/features-built"
	@! $(FEATURES) normal,build,dev | sed 's/ (\*)//' | sort -u | comm -13 - "$(CARGO_TARGET_DIR)/features-built" | grep .
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings

check-description:
	@node=$$(dirname "$$(infra/setup.sh python node)") && PATH="$$node:$$PATH" REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
			npm exec --yes --package=@redocly/cli@2.77.0 -- \
			redocly lint functions/api-docs/openapi.json functions/api-docs/openapi-3.0.json --config functions/api-docs/redocly.yaml

check-template:
	@venv=$$(dirname "$$(infra/setup.sh python check)") && set -x \
		&& "$$venv/cfn-lint" template.yaml && "$$venv/sam" validate --lint --template template.yaml \
		&& PYTHONPATH=infra "$$venv/python" -m preflight.policy_tests \
		&& PYTHONPATH=infra "$$venv/python" -m deployment.schema_tests

# Nothing here uses the network. shellcheck is used if it is installed.
check-deployment:
	@venv=$$(dirname "$$(infra/setup.sh python scan)") && set -x \
		&& "$$venv/checkov" --config-file .checkov.yaml \
		&& "$$venv/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml \
		&& "$$venv/zizmor" --offline --quiet .github/workflows
	@! command -v shellcheck >/dev/null || shellcheck infra/*.sh infra/release/*.sh infra/worker/*.sh clients/*.sh clients/*/*.sh clients/*/conformance/*.sh .ci/run

# Also reads the crates of other platforms, which cargo has not fetched here. The workflow, which has network access, checks
# advisories.
check-licences:
	cargo fetch --quiet --locked
	"$$(infra/setup.sh cargo-deny)" --offline check bans licenses sources
	@PYTHONPATH=infra python3 -m licences.tests
	@PYTHONPATH=infra python3 -m licences --check

# IMAGE_ROOT= the root directory of a worker's image, as kept by `make test-image`, to read the packages' licences again. Needs
# root.
licences: ## Write LICENSES.md, after a change of the crates or of the image's packages (IMAGE_ROOT=…)
	@PYTHONPATH=infra python3 -m licences $(if $(IMAGE_ROOT),--image "$(IMAGE_ROOT)")

check-local:
	@$(LOCAL).tests
	@$(LOCAL).template_tests
	@$(LOCAL).monitoring_tests
	@$(LOCAL).image_tests
	@PYTHONPATH=infra "$$(infra/setup.sh python local)" -m preflight.tests
	@PYTHONPATH=infra "$$(infra/setup.sh python local)" -m deployment.tests
	@$(RELEASE).tests
	@PYTHONPATH=infra python3 -m smoke.tests
	@$(GENERATORS).tests
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 "$$(infra/setup.sh python extract)" -m extract.tests
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m fidelity.tests
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m reports.tests
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m unittest --quiet bench.tests

# Uses the local stack's environment, because it reads the template in the same way.
COST = PYTHONPATH=infra "$$(infra/setup.sh python local)" -m cost

check-cost:
	@$(COST).tests

check-clients:
	@clients/check.sh

# Not part of `check`: it compiles all dependencies a second time.
check-arm64: ## Check that a function compiles for arm64 (FUNCTION=deliverer; needs rustup and gcc-aarch64-linux-gnu)
	rustup target add aarch64-unknown-linux-gnu
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		cargo check --locked --package $(or $(FUNCTION),deliverer) --bins --target aarch64-unknown-linux-gnu


clients: ## Regenerate the clients' types after a change of the API's description
	@for each in clients/*/generate.sh; do "$$each" || exit; done

# The kernel's entropy suffices for TLS: collecting the processor's jitter too would take 32 ms of each cold start. Debug builds
# don't set this, because it would invalidate their cache.
OPTIMISED = AWS_LC_SYS_NO_JITTER_ENTROPY=1

build-cli: ## Compile the command line as it is handed out, to CARGO_TARGET_DIR/small/docmill
	$(OPTIMISED) cargo build --profile small --package docmill-cli

build-release: ## Compile the optimised worker and command line, to CARGO_TARGET_DIR/release
	$(OPTIMISED) cargo build --release --workspace --bin worker --bin docmill

# QUICK=1 takes a few minutes instead of a quarter of an hour and leaves out large documents. ONLY="office pdf" selects from
# office, basic, browser, pdf, ocr, compress, stream, extract and fidelity. ALONE=1 measures the PDF tools without their peers, for `make cost`.
# BEFORE=WORKER adds an earlier release build to the PDF tools, and TOOLS="compress-pdf pdf-to-text" selects from them.
BENCH_IN = mkdir -p target && export PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 && python=$$(python3 -m bench.peers $(1)) && "$$python" -m bench
BENCH = $(call BENCH_IN)
BENCH_ARGUMENTS = --worker "$(CARGO_TARGET_DIR)/release/worker" $(if $(QUICK),--quick) $(if $(ALONE),--alone) $(foreach part,$(ONLY),--only $(part)) \
	$(if $(BEFORE),--before "$(BEFORE)") $(foreach tool,$(TOOLS),--tool $(tool))

bench: setup build-release ## Measure the engines beside LibreOffice, Gotenberg, Puppeteer, … (QUICK=1: briefly, ONLY=part, BEFORE=worker)
	@$(BENCH) bench $(BENCH_ARGUMENTS) --json target/bench.json

# The documents are fetched once. IMAGE_ROOT: in the worker's image, whose LibreOffice is a later one. PART=train, choose or judge.
# MINUTES: stop then, and go on with the next call. `fidelity-causes` tells why pages part, on what this has measured.
bench-fidelity: setup build-release ## Compare pages with those that Word made, and with plain LibreOffice's (IMAGE_ROOT=…, PART=…)
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m fidelity.word --worker "$(CARGO_TARGET_DIR)/release/worker" $(if $(PART),--part $(PART)) $(if $(MINUTES),--minutes $(MINUTES))

fidelity-causes: ## Why pages part from Word's, by share, after `make bench-fidelity` (IMAGE_ROOT=…, PART=…)
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m fidelity.causes $(if $(PART),--part $(PART))

# Peers are those that are installed where PYTHON is: tests/extract/requirements.txt, and camelot-py and pdfplumber. PEERS=none: without them.
bench-extract: setup build-release ## Compare structure read from strangers' PDFs with other readers (SETS=folder, see tests/extract/README.md; PEERS=…)
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 "$(or $(PYTHON),python3)" -m extract.judge "$(SETS)" --worker "$(CARGO_TARGET_DIR)/release/worker" $(foreach peer,$(PEERS),--peer $(peer))

bench-table: ## Write the table of tests/bench/README.md, with what `make bench` has measured (FROM=target/bench.json)
	@PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 -m bench.summary $(or $(FROM),$(wildcard target/bench.json))

# ROUNDS=3 takes one minute instead of five. The stack has its own emulator, which runs nothing else.
# The same document is converted several times, one after the other: in one request that waits, and by creating a job and polling
# it.
bench-wait: ready ## Compare a conversion in one request with creating and polling, on a stack of its own (ROUNDS=…)
	@$(LOCAL) with-stack -- env PYTHONPATH=infra:tests PYTHONDONTWRITEBYTECODE=1 \
		"$$(infra/setup.sh python local)" -m load.latency --rounds $(or $(ROUNDS),50)

bench-api: ready ## Measure the functions as Lambda starts them: init, first and warm invocations, jobs created per second
	$(OPTIMISED) cargo build --release --workspace --exclude local-functions --bins
	@mkdir -p target && $(LOCAL) with-stack -- "$(CARGO_TARGET_DIR)/release/bench-api" \
		--binaries "$(CARGO_TARGET_DIR)/release" --json target/bench-api.json $(if $(ROUNDS),--rounds $(ROUNDS))

# The emulator is one Python process, which limits the rates. ON=dynamodb-local has the tables elsewhere.
bench-sweeper: setup ## Measure the sweeper behind a backlog: leases, expiries (QUEUED=…, LEASES=…, EXPIRED=…, ON=dynamodb-local)
	@cargo test --workspace --test it --no-run
	@$(LOCAL) $(if $(filter dynamodb-local,$(ON)),with-dynamodb-local "$$(infra/setup.sh dynamodb-local)",with-storage) -- env $(foreach name,QUEUED LEASES EXPIRED,$(if $($(name)),$(name)=$($(name)))) \
		cargo test --workspace --test it bench_sweeper -- --ignored --nocapture

# The store is on the same cores, which limits the rate. 50,000 events take 25 minutes; EVENTS=5000 takes three.
bench-webhooks: setup ## Measure the deliverer: events for 200 endpoints, a quarter of them dead, slow or failing (EVENTS=…, RATE=…, ENVIRONMENTS=…, ON=dynamodb-local)
	@cargo test --workspace --test it --no-run
	@$(LOCAL) $(if $(filter dynamodb-local,$(ON)),with-dynamodb-local "$$(infra/setup.sh dynamodb-local)",with-storage) -- env $(foreach name,EVENTS RATE ENVIRONMENTS,$(if $($(name)),$(name)=$($(name)))) \
		cargo test --workspace --test it bench_webhooks -- --ignored --nocapture

cost: setup ## Calculate the cost of jobs on AWS, from the last benchmarks or the committed figures
	@$(COST)

soak: setup build-release ## Convert 500 documents, some hostile, in one process, and look for leaks (QUICK=1: 100)
	@$(call BENCH_IN,--alone) soak $(BENCH_ARGUMENTS) --json target/soak.json

# Each must end in a result or a typed error. SAMPLE=300 takes so many at random.
strangers: setup build-release ## Convert every document of a folder as on Lambda, and count what becomes of them (DOCUMENTS=folder, TOOL=one, ODD=1: odd options)
	@mkdir -p target && PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 "$$(infra/setup.sh python check)" -m bench.strangers --json target/strangers.jsonl \
		--worker "$(CARGO_TARGET_DIR)/release/worker" $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(TOOL),--tool $(TOOL)) $(if $(ODD),--odd) "$(DOCUMENTS)"

damaged: setup build-release ## Read every damaged PDF of a folder beside qpdf, PDFium, MuPDF and Ghostscript (DOCUMENTS=folder)
	@$(call BENCH_IN).damaged --worker "$(CARGO_TARGET_DIR)/release/worker" "$(DOCUMENTS)"

bench-privileges: setup build-release ## Compare the worker on Lambda, on one machine and as root: results, and what each layer costs (QUICK=1)
	@$(call BENCH_IN,--alone) privileges $(BENCH_ARGUMENTS) --json target/privileges.json

COMPILED = build-lambda
include infra/deploy.mk

# Two compilations of a commit are equal: paths of this machine, which are in messages of panics, get the same names, and the time that
# mozjpeg writes into itself is the commit's, or 0 without git.
REPRODUCIBLE = SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 0)} RUSTFLAGS="--remap-path-prefix=$${CARGO_HOME:-$$HOME/.cargo}=cargo --remap-path-prefix=$(CARGO_TARGET_DIR)=target"
PROGRAMS = docmill-admin docmill

# All in one call, so that each dependency is compiled once. cargo-lambda's own optimizations would give each function its own LTO.
build-lambda: ## Compile every function as AWS Lambda runs it to target/lambda, and the programs to target/programs (ARCHITECTURE=arm64 for Graviton)
	@venv=$$(dirname "$$(infra/setup.sh python deploy)") && export PATH="$$venv:$$PATH" && set -x \
		&& $(OPTIMISED) $(REPRODUCIBLE) cargo lambda build --profile release --disable-optimizations --locked --workspace --exclude bench-api --exclude docmill-tests --exclude local-functions \
			--lambda-dir target/lambda $(if $(filter arm64,$(ARCHITECTURE)),--arm64,--x86-64)
	@mkdir -p target/programs
	@for each in $(PROGRAMS); do mv "target/lambda/$$each/bootstrap" "target/programs/$$each" && rmdir "target/lambda/$$each" || exit; done
	@$(STAMP)

deployer-policy: ## Write infra/deployer-policy.json, after a change of the kinds of resources in the template
	@PYTHONPATH=infra "$$(infra/setup.sh python deploy)" -m preflight.policy

RELEASE = PYTHONPATH=infra "$$(infra/setup.sh python release)" -m release
# The programs are for the machine of whoever deploys. On a machine of another kind than the functions', they are compiled again.
SAME_KIND = $(filter Linux-$(ARCHITECTURE:arm64=aarch64),$(shell uname -s)-$(shell uname -m))
release: ## Build, pack and tag a release: target/docmill-VERSION-ARCHITECTURE.tar.gz (IMAGE_ROOT=…, for the versions of its packages)
	@$(RELEASE) check
	@rm -rf target/lambda
	@$(MAKE) --no-print-directory build-lambda
ifeq ($(SAME_KIND),)
	$(OPTIMISED) $(REPRODUCIBLE) cargo build --release --locked --workspace $(PROGRAMS:%=--bin %)
	@cp $(PROGRAMS:%="$(CARGO_TARGET_DIR)/release/%") target/programs
endif
	@$(RELEASE) pack --architecture $(ARCHITECTURE) $(if $(IMAGE_ROOT),--image "$(IMAGE_ROOT)") $(PROGRAMS:%=target/programs/%)
	@$(RELEASE) tag

test-image: build-release ## Build the worker's image without Docker and convert in it, read-only (root, mmdebstrap, bubblewrap)
	@infra/worker/test-image.sh "$(CARGO_TARGET_DIR)/release/worker"
