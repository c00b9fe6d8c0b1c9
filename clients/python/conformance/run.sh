#!/bin/sh
# The conformance suite's runner for this client, which is built and installed as users install it: run.sh [async].
set -eu
here=$(cd "$(dirname "$0")" && pwd)
python=$("$here/../install.sh")
exec "$python" "$here/steps.py" "$@"
