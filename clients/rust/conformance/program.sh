#!/bin/sh
# Runs the samples of the guide in a crate that uses the client as users do: program.sh FILE. The first is a program, and the others
# are functions of a second one, which calls them. Compiles the client's dependencies once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
target=${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target}
folder=$root/.local/clients/rust/guide
"$here/crate.sh" "$folder" docmill-guide
end=$(grep -n '^}$' "$1" | head -1 | cut -d : -f 1)
head -n "$end" "$1" >"$folder/src/bin/guide-first.rs"
{
    echo 'use docmill_client::{Client, Request, Source};'
    tail -n "+$((end + 1))" "$1"
    printf '\n#[tokio::main]\nasync fn main() -> docmill_client::Result<()> {\n    let client = Client::from_env()?;\n'
    sed -n 's/^async fn \([a-z]*\)(client: &Client) .*/    \1(\&client).await?;/p' "$1"
    printf '    let refused = receive(&"whsec_AAAA".into(), &HeaderMap::new(), b"{}");\n'
    printf '    assert_eq!(refused, StatusCode::BAD_REQUEST);\n    Ok(())\n}\n'
} >"$folder/src/bin/guide-others.rs"
CARGO_TARGET_DIR=$target cargo build --quiet --offline --manifest-path "$folder/Cargo.toml" >&2
for program in guide-first guide-others; do
    "$target/debug/$program"
done
