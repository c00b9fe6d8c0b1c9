#!/bin/sh
# Checks the form, looks for suspicious code, and runs the tests.
set -eu
cd "$(dirname "$0")"
go=$(../../infra/setup.sh go)
unformatted=$("$(dirname "$go")/gofmt" -l .)
[ -z "$unformatted" ] || { echo "Error: run gofmt in clients/go on $unformatted" >&2; exit 1; }
for module in . conformance; do
    (cd "$module" && "$go" vet ./...)
done
"$go" test ./...
