#!/bin/sh
# Checks the samples of the documentation, each with its client as users have it: what compilers and type checkers say, and the form of Go.
# They are run with a stack (tests/it/samples.rs, tests/it/examples.rs).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
setup=$root/infra/setup.sh
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-${DOCMILL_CACHE:-$HOME/.cache/docmill}/target}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$root" && cargo build --quiet --workspace --example write-samples)
"$CARGO_TARGET_DIR/debug/examples/write-samples" "$folder"

interpreter=$("$root/clients/python/install.sh")
"$("$setup" python client-dev)" -m mypy --strict --python-executable "$interpreter" --no-error-summary \
    --cache-dir "$root/.local/clients/mypy-samples" "$folder"/python/*.py

installed=$("$root/clients/typescript/install.sh")
modules=$("$setup" node "$root/clients/typescript")
ln -s "$installed/node_modules" "$folder/typescript/node_modules"
cp "$installed/package.json" "$folder/typescript"
"$(dirname "$("$setup" python node)")/node" "$modules/typescript/bin/tsc" --noEmit --strict --target es2022 --module nodenext --moduleDetection force \
    --types node --typeRoots "$modules/@types" "$folder"/typescript/*.ts

go=$("$setup" go)
cp "$root/clients/go/conformance/go.sum" "$folder/go"
sed "s|=> ../\$|=> $root/clients/go|" "$root/clients/go/conformance/go.mod" >"$folder/go/go.mod"
for sample in "$folder"/go/*.go; do
    mkdir "${sample%.go}"
    mv "$sample" "${sample%.go}/main.go"
done
unformatted=$("$(dirname "$go")/gofmt" -l "$folder/go")
[ -z "$unformatted" ] || { echo "Error: gofmt would change $unformatted" >&2; exit 1; }
(cd "$folder/go" && "$go" vet ./...)

crate=$root/.local/clients/rust/samples
rm -rf "$crate/src"
"$root/clients/rust/conformance/crate.sh" "$crate" docmill-samples
mv "$folder"/rust/*.rs "$crate/src/bin"
cargo check --quiet --offline --manifest-path "$crate/Cargo.toml"
