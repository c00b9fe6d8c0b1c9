#!/bin/sh
# Makes a crate that uses the client as users do: crate.sh FOLDER NAME. Its programs go to FOLDER/src/bin.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$1/src/bin"
cat >"$1/Cargo.toml" <<END
[package]
name = "$2"
edition = "2024"

[dependencies]
docmill-client = { path = "$root/clients/rust" }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt-multi-thread"] }

[profile.dev]
debug = false

[workspace]
END
# The versions that the whole project is tested with.
cp "$root/Cargo.lock" "$1"
