# The verbs of this project. `make help` lists them. PYTHON names the Python that .venv is made with.
.DEFAULT_GOAL := help
.PHONY: help demo test test-fast check run page docs setup lock lock-jars
BIN := .venv/bin
STAMP := .venv/.in-step
PAGE := api/web/dist/index.html

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(STAMP) $(PAGE) ## set up, load the example memory, talk about it, stay up (ARGS=--exit ends instead)
	@$(BIN)/impressions demo $(ARGS)

test: $(STAMP) $(PAGE) ## set up and run all tests (ARGS goes to pytest)
	@$(BIN)/pytest -n 2 $(ARGS)

test-fast: $(STAMP) ## run the tests that take no more than a few seconds each
	@$(BIN)/pytest -n 2 -m 'not slow' $(ARGS)

check: $(STAMP) ## lint, format, types, import contracts, printed schema, container files, documents
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/impressions schema --check
	@$(BIN)/hadolint docker/Dockerfile
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker/compose.yaml
	@$(BIN)/pytest -q tests/test_docs.py -m 'not slow'

run: $(STAMP) $(PAGE) ## serve (ARGS goes to impressions serve)
	@$(BIN)/impressions serve $(ARGS)

page: $(PAGE) ## build the web page (with this machine's Node, else with one from PyPI)

docs: $(STAMP) ## write the tables of settings, commands and queries into the documents
	@$(BIN)/python docs/reference.py

setup: $(STAMP) ## make or mend .venv from requirements.lock

lock: $(STAMP) ## resolve the dependencies anew, within the bounds of pyproject.toml
	@UV=$$(command -v uv || echo $(BIN)/uv) && \
	$$UV pip compile --quiet --upgrade --universal --generate-hashes --no-header --group dev pyproject.toml \
	  --output-file requirements.lock
	@UV=$$(command -v uv || echo $(BIN)/uv) && \
	$$UV pip compile --quiet --generate-hashes --no-header --python-version 3.12 --python-platform linux \
	  --override docker/overrides.txt --constraint requirements.lock pyproject.toml --output-file docker/requirements.lock
	@$(MAKE) --no-print-directory setup

lock-jars: $(STAMP) ## write the sizes and SHA-256 of Neo4j's jars anew (downloads 200 MB; ARGS=--check only compares)
	@$(BIN)/python docs/lock_neo4j_jars.py $(ARGS)

PAGE_SOURCES := $(shell find api/web -name node_modules -prune -o -name dist -prune -o -name generated -prune -o -type f -print)

$(PAGE): $(PAGE_SOURCES) api/schema.graphql | $(STAMP)
	@$(BIN)/python api/web/build.py

$(STAMP): requirements.lock bootstrap.txt bootstrap.sh pyproject.toml
	@./bootstrap.sh
	@touch $@
