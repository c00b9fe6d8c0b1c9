#!/bin/sh
# Checks the clients of all languages present: their types, and that what is generated from the API's description is up to date.
set -eu
for each in "$(dirname "$0")"/*/check.sh; do
    "$each"
done
