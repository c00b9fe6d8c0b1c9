#!/bin/sh
# Runs a program with the package, installed as users install it: program.sh FILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$("$here/../install.sh")
node=$(dirname "$("$here/../../../infra/setup.sh" python node)")/node
# Node looks for packages beside the program.
cp "$1" "$folder/program.ts"
exec "$node" "$folder/program.ts"
