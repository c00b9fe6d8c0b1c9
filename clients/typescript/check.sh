#!/bin/sh
# Checks the types, and that what is generated is up to date.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$here/generate.sh" "$fresh/schema.ts"
diff -u "$here/src/schema.ts" "$fresh/schema.ts" || { echo "Error: clients/typescript is not up to date: run clients/typescript/generate.sh" >&2; exit 1; }
cd "$here"
PATH=$(dirname "$("$here/../../infra/setup.sh" python node)"):$PATH
node node_modules/typescript/bin/tsc --noEmit
# The package as users see it.
installed=$(./install.sh)
cp conformance/types.ts "$installed"
node node_modules/typescript/bin/tsc --noEmit --strict --target es2022 --module nodenext --types node --typeRoots node_modules/@types "$installed/types.ts"
