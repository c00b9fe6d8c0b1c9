#!/bin/sh
# Checks the types, and that what is generated is up to date.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$here/generate.sh" "$fresh"
for each in $(cd "$fresh" && ls models.py _sync/*.py); do
    diff -u "$here/src/docmill/$each" "$fresh/$each" || { echo "Error: clients/python is not up to date: run clients/python/generate.sh" >&2; exit 1; }
done
cd "$here"
python=$("$here/../../infra/setup.sh" python client-dev)
"$python" -m mypy --cache-dir "$here/../../.local/clients/mypy" --no-error-summary
