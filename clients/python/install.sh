#!/bin/sh
# Builds the package, installs it into an empty environment, and prints its interpreter. Nothing happens if nothing has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../infra/setup.sh
folder=$here/../../.local/clients/python
wheels=$("$setup" wheels client)
builder=$("$setup" python client-dev)
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
digest=$(cd "$here" && { echo "$wheels"; find pyproject.toml README.md src -type f ! -name '*.pyc' | LC_ALL=C sort | xargs sha256sum; } | sha256sum)
if [ "$(cat "$folder/digest" 2>/dev/null)" != "$digest" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    # The tools for building are those of this environment, so no network is needed.
    "$builder" -m build --no-isolation --outdir "$folder/dist" "$here" >"$folder/build.log" 2>&1 || { cat "$folder/build.log" >&2; exit 1; }
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$wheels" "$folder"/dist/*.whl >&2
    echo "$digest" >"$folder/digest"
fi
echo "$folder/venv/bin/python"
