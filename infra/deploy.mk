# Deploying to AWS, and what comes after. Included by the Makefile of the repository, which compiles first (COMPILED), and by that of
# a release's archive, where everything is compiled already.

ARCHITECTURE ?= x86_64
GIVEN = Architecture=$(ARCHITECTURE) $(PARAMETERS)
# Parameters may be secret, so no command line and no output has them.
export STAMPED = $(GIVEN)
# SAM only notices changes of a function's code, not of parameter values. Each package contains a digest of the parameters, so
# that aliases move to a version with the new values. The date makes the image install the security updates of the day.
STAMP = date -u +%F >target/lambda/built-on \
	&& digest=$$(printenv STAMPED | { sha256sum 2>/dev/null || shasum -a 256; }) \
	&& for each in target/lambda/*/; do echo "$$digest" >"$$each/parameters"; done
PYTHON_OF_DEPLOYMENT ?= deploy
DEPLOYMENT = python=$$(infra/setup.sh python $(PYTHON_OF_DEPLOYMENT)) && PATH="$$(dirname "$$python"):$$PATH" PYTHONPATH=infra "$$python" -m deployment
OF_STACK = $(if $(STACK),--stack "$(STACK)") $(if $(YES),--yes)

.PHONY: deploy-check deploy deployments rollback teardown deploy-smoke

deploy-check: ## Check this AWS account for anything that would break a deployment (PARAMETERS='Name=value …')
	@PYTHONPATH=infra "$$(infra/setup.sh python $(PYTHON_OF_DEPLOYMENT))" -m preflight $(STACK)

ifneq ($(FROM),)
deploy: ## Build for AWS Lambda and deploy (needs AWS credentials and Docker; PARAMETERS='Name=value …', STACK=…, FROM=archive, YES=1)
	@unpacked=$$(infra/release/unpack.sh "$(FROM)") && $(MAKE) --no-print-directory -C "$$unpacked" deploy FROM=
else
deploy: deploy-check $(COMPILED)
	@$(STAMP)
	@$(DEPLOYMENT) deploy $(OF_STACK)
endif

deployments: ## List the deployments of the stack, to which `make rollback` can return (STACK=…)
	@$(DEPLOYMENT) list $(OF_STACK)

rollback: ## Return to the release before, without building anything (TO=version or time of a deployment, STACK=…, YES=1)
	@$(DEPLOYMENT) rollback $(OF_STACK) --to "$(TO)"

teardown: ## Export the stack's data and remove the stack; its data stays (STACK=…; DATA=delete: not even that)
	@$(DEPLOYMENT) teardown $(OF_STACK) $(if $(filter delete,$(DATA)),--with-data)

# Of a stack on AWS, or of the local one whose settings are in the shell (set -a; . .local/env).
deploy-smoke: ## Try the deployed service: sign-in, a key, a job of each queue, a webhook, a deletion, alarms (STACK=…, DOCMILL_KEY=…)
	@PYTHONPATH=infra "$$(infra/setup.sh python $(PYTHON_OF_DEPLOYMENT))" -m smoke $(if $(STACK),--stack "$(STACK)")
