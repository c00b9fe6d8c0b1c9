#!/bin/sh
# Writes the types of the clients in Go and Rust. Usage: generate.sh [--check]
set -eu
cd "$(dirname "$0")/.."
PYTHONDONTWRITEBYTECODE=1 exec python3 -m models "$@"
