#!/bin/sh
# Checks that the types of the clients in Go and Rust are up to date, and the types of what writes them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
"$here/generate.sh" --check
cd "$here/.."
"$("$here/../../infra/setup.sh" python client-dev)" -m mypy --strict --cache-dir "$here/../../.local/clients/mypy-models" --no-error-summary models
