#!/bin/sh
# Runs a program with the package, installed as users install it: program.sh FILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
exec "$("$here/../install.sh")" "$1"
