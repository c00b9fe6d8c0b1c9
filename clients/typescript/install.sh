#!/bin/sh
# Builds and packs the package, installs it into an empty folder, and prints the folder. Nothing happens if nothing has changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../infra/setup.sh
folder=$here/../../.local/clients/typescript
PATH=$(dirname "$("$setup" python node)"):$PATH
modules=$("$setup" node "$here")
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
digest=$(cd "$here" && find package.json package-lock.json README.md tsconfig*.json src -type f | LC_ALL=C sort | xargs sha256sum | sha256sum)
if [ "$(cat "$folder/digest" 2>/dev/null)" != "$digest" ]; then
    ln -sfn "$modules" "$here/node_modules"
    rm -rf "$folder" "$here/dist"
    mkdir -p "$folder"
    (cd "$here" && npm pack --silent --pack-destination "$folder") >"$folder/packed"
    echo '{"type": "module", "private": true}' >"$folder/package.json"
    # What npm has downloaded before is in its own cache.
    (cd "$folder" && npm install --silent --prefer-offline --no-audit --no-fund "./$(cat packed)") >&2
    echo "$digest" >"$folder/digest"
fi
cd "$folder" && pwd
