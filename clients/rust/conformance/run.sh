#!/bin/sh
# Builds the runner and becomes it.
set -eu
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target}
CARGO_TARGET_DIR=$target cargo build --quiet --workspace --example conformance >&2
exec "$target/debug/examples/conformance"
