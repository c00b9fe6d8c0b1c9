#!/bin/sh
# Runs one sample of the documentation with the client as users have it: sample.sh FILE
set -eu
here=$(cd "$(dirname "$0")" && pwd)
go=$("$here/../../../infra/setup.sh" go)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/go.sum" "$folder"
sed "s|=> ../\$|=> $here/..|" "$here/go.mod" >"$folder/go.mod"
cp "$1" "$folder/main.go"
(cd "$folder" && "$go" build -o program .)
"$folder/program"
