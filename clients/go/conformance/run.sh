#!/bin/sh
# The conformance suite's runner for this client: a module of its own, which uses the client as users do. Compiles for a few seconds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
setup=$here/../../../infra/setup.sh
folder=$here/../../../.local/clients/go
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
(cd "$here" && "$("$setup" go)" build -o "$folder/steps.new" .)
# A runner that runs keeps its file.
cmp -s "$folder/steps.new" "$folder/steps" || mv "$folder/steps.new" "$folder/steps"
exec 9>&-
exec "$folder/steps"
