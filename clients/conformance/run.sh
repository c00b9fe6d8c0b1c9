#!/bin/sh
# Runs the conformance suite against the stack at DOCMILL_URL: run.sh [--name PART] [LANGUAGE …]
set -eu
[ -n "${DOCMILL_URL:-}" ] || { echo "No conformance of clients: only storage was deployed." >&2; exit 0; }
here=$(cd "$(dirname "$0")" && pwd)
# Compiling takes longer than a step may.
for build in "$here"/../*/conformance/build.sh; do "$build"; done
PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 exec python3 -m conformance "$@"
