#!/bin/sh
# Writes nodes/Docmill/tools after a change of the catalogue or of a schema.
set -eu
exec "$(dirname "$0")/with-tools.sh" npm run --silent generate
