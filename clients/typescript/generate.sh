#!/bin/sh
# Writes the API's types. Usage: generate.sh [FILE], by default that of the package.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$(dirname "$("$here/../../infra/setup.sh" python node)"):$PATH
ln -sfn "$("$here/../../infra/setup.sh" node "$here")" "$here/node_modules"
cd "$here"
node node_modules/openapi-typescript/bin/cli.js ../../functions/api-docs/openapi.json --default-non-nullable false --output "${1:-src/schema.ts}" >/dev/null
