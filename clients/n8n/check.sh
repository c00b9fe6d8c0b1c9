#!/bin/sh
# n8n's own linter, the fields compared with the schemas, the build, and the unit tests.
set -eu
exec "$(dirname "$0")/with-tools.sh" npm run --silent check
