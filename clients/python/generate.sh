#!/bin/sh
# Writes what is generated: the API's types, and the synchronous client. Usage: generate.sh [FOLDER], by default that of the package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../../infra/setup.sh" python client-dev)
target=${1:-$here/src/docmill}
mkdir -p "$target/_sync"
"$python" -B "$here/scripts/generate_models.py" "$here/../../functions/api-docs/openapi.json" "$target/models.py"
"$python" -B "$here/scripts/generate_sync.py" "$target/_sync"
