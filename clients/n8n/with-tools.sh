#!/bin/sh
# Runs a command in this folder, with Node and with the modules that package-lock.json names.
set -eu
cd "$(dirname "$0")"
node=$(dirname "$(../../infra/setup.sh python node)")
modules=$(../../infra/setup.sh node "$PWD")
ln -sfn "$modules" node_modules
PATH=$modules/.bin:$node:$PATH exec "$@"
