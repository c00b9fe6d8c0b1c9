# The commands of a release of Docmill, which is compiled already. `make` alone lists them; infra/OPERATIONS.md explains them.

export DOCMILL_CACHE ?= $(HOME)/.cache/docmill
export SAM_CLI_TELEMETRY = 0
# What the functions were compiled for.
override ARCHITECTURE = @ARCHITECTURE@
# Without the compiler's linker.
PYTHON_OF_DEPLOYMENT = check

.DEFAULT_GOAL := help
.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | awk -F '\t' '{ printf "  %-15s %s\n", $$1, $$2 }'

include infra/deploy.mk
