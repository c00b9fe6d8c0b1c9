#!/bin/sh
# Becomes the runner, which the suite has built.
set -eu
exec "${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target}/debug/examples/conformance"
