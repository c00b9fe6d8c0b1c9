#!/bin/sh
# Checks the suite's types.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
"$("$here/../../infra/setup.sh" python client-dev)" -m mypy --strict --cache-dir "$here/../../.local/clients/mypy-conformance" --no-error-summary conformance
