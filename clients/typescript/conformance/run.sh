#!/bin/sh
# The conformance suite's runner for this client, which is built and installed as users install it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$("$here/../install.sh")
node=$(dirname "$("$here/../../../infra/setup.sh" python node)")/node
# Node looks for packages beside the program.
cp "$here/steps.ts" "$folder"
exec "$node" "$folder/steps.ts"
