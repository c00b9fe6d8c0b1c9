#!/bin/sh
# Builds the runner.
set -eu
cd "$(dirname "$0")/../../.."
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target} \
    cargo build --quiet --workspace --example conformance >&2
