#!/bin/sh
# The conformance suite's runner for this client, which is built and installed as users install it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$("$here/../install.sh")
node=$(dirname "$("$here/../../../infra/setup.sh" python node)")/node
# Node looks for packages beside the program.
# Renamed into place: other runners may be reading it.
cp "$here/steps.ts" "$folder/steps.$$"
mv "$folder/steps.$$" "$folder/steps.ts"
exec "$node" "$folder/steps.ts"
