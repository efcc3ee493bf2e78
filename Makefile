# The few commands of the workspace. `make` alone lists them.

SHELL := bash
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup setup-to-run build check demo test bench eval hostile hosts lint contract deny prepare clean-data

# Queries are compiled against .sqlx, whatever the caller's environment says; scripts/prepare alone asks a database.
export SQLX_OFFLINE := true

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install what is missing: PostgreSQL, ffmpeg, the speech engines, and what the tests need
	@scripts/setup

setup-to-run:
	@scripts/setup --no-tests

build: ## Compile everything
	cargo build --workspace --locked

check: ## Check the format, the types and the lints after a small change, against the SQL answers of .sqlx
	cargo fmt --all --check
	cargo clippy --workspace --lib --bins --tests --locked --quiet -- -D warnings

demo: setup-to-run build ## Show the service at work, on a file of yours with MEDIA=path
	"$${CARGO_TARGET_DIR:-target}/debug/mws" demo $(if $(MEDIA),"$(MEDIA)")

lint: ## Check the format, the lints, the SQL and the documentation
	cargo fmt --all --check
	scripts/prepare --check
	scripts/document

test: ## Check everything and run all tests
	@scripts/test

contract: ## Hold a running service to openapi.json for FOR seconds (300): schemathesis, every phase, all checks
	scripts/contract $(FOR)

deny: ## Check licences, sources, duplicate and banned crates (ADVISORIES=1: known faults too, which needs a network)
	scripts/deny

bench: setup-to-run ## Measure the service beside the bare ceilings (release build; ARGS=--quick for two minutes, "--only jobs --grown")
	cargo run --release --locked --quiet -p mws-bench -- $(ARGS)

eval: build ## Measure the reads and what is made of media, and write the tables of docs/reads.md and docs/making.md
	eval/setup
	eval/.venv/bin/python -m unittest --quiet eval.test_judges eval.test_making
	eval/.venv/bin/python -m eval --program "$${CARGO_TARGET_DIR:-target}/debug/mws" --write docs/reads.md,docs/making.md $(EVAL)

hostile: setup build ## Send a hundred hostile files through a running service, and look at what comes back
	python3 -m eval.hostile --program "$${CARGO_TARGET_DIR:-target}/debug/mws"

hosts: build ## Try the service on several hosts, network namespaces here, and kill some (root; see docs/scale.md)
	deploy/hosts/try --program "$${CARGO_TARGET_DIR:-target}/debug/mws"

prepare: ## Bring .sqlx up to date with the queries and the migrations
	scripts/prepare

clean-data: ## Delete the data of the demo and of the development database
	scripts/dev-db reset
	rm -rf .mws
