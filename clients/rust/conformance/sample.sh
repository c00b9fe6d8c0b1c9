#!/bin/sh
# Runs one sample of the documentation with the client as users have it: sample.sh FILE. Compiles the client's dependencies once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target}
folder=$here/../../../.local/clients/rust/sample
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
"$here/crate.sh" "$folder" docmill-sample
cp "$1" "$folder/src/bin/docmill-sample.rs"
CARGO_TARGET_DIR=$target cargo build --quiet --offline --manifest-path "$folder/Cargo.toml" >&2
cp "$target/debug/docmill-sample" "$own/program"
exec 9>&-
"$own/program"
