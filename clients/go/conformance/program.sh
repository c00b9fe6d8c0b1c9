#!/bin/sh
# Runs the samples of the guide, with the client as users have it: program.sh FILE. The first is a program, and the others are functions
# of a second one, which calls them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
go=$("$here/../../../infra/setup.sh" go)
folder=$here/../../../.local/clients/go/guide
mkdir -p "$folder/first" "$folder/others"
cp "$here/go.sum" "$folder"
sed 's|=> ../$|=> ../../../../clients/go|' "$here/go.mod" >"$folder/go.mod"
end=$(grep -n '^}$' "$1" | head -1 | cut -d : -f 1)
head -n "$end" "$1" >"$folder/first/main.go"
{
    printf 'package main\n\nimport (\n'
    printf '\t"%s"\n' context errors fmt io log net/http os strings time
    printf '\tdocmill "github.com/docmill/docmill/clients/go"\n)\n'
    tail -n "+$((end + 1))" "$1"
    printf '\nvar _ = receive\n\nfunc main() {\n\tclient, err := docmill.New()\n\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n'
    sed -n 's/^func \([a-z]*\)(ctx context.Context, client \*docmill.Client) error {$/\1/p' "$1" | while read -r name; do
        printf '\tif err := %s(context.Background(), client); err != nil {\n\t\tlog.Fatal(err)\n\t}\n' "$name"
    done
    printf '}\n'
} >"$folder/others/main.go"
for program in first others; do
    (cd "$folder" && "$go" build -o "$program/program" "./$program")
    "$folder/$program/program"
done
