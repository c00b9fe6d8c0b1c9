#!/bin/sh
# Unpacks a release's archive below target/releases, after comparing its checksums, and prints where it is.
# Usage: infra/release/unpack.sh ARCHIVE
set -eu

fail() {
    echo "Error: $*" >&2
    exit 1
}

archive=${1:?usage: infra/release/unpack.sh ARCHIVE}
[ -f "$archive" ] || fail "there is no file $archive"
here=$(cd "$(dirname "$0")/../.." && pwd)
name=$(basename "$archive" .tar.gz)
folder=$here/target/releases/$name
rm -rf "$folder"
mkdir -p "$here/target/releases"
tar -xzf "$archive" -C "$here/target/releases" || fail "$archive could not be unpacked"
[ -f "$folder/SHA256SUMS" ] || fail "$archive is no release of Docmill, or has another name than its folder"
# A Mac has shasum instead.
sums=sha256sum
command -v "$sums" >/dev/null 2>&1 || sums='shasum -a 256'
(cd "$folder" && $sums --check --quiet SHA256SUMS >&2) || fail "$archive is not what was released: files differ from SHA256SUMS"
echo "$folder"
