#!/bin/sh
# Makes the worker's image without Docker, in a root directory of its own, and converts this project's samples and its
# corpus of strangers' documents in it, as Lambda would (`like-lambda.sh`). `make test-image` runs it.
#
# Needs mmdebstrap, bubblewrap, root and some 3 GB. MIRROR and SECURITY_MIRROR name Debian's mirrors; by default those that
# this machine uses. With IMAGE_ROOT, an existing directory is kept, and used again.
set -eu

worker=$1
here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
kept=${IMAGE_ROOT:-}
root=${kept:-$(mktemp -d /tmp/docmill-image-XXXXXX)}
scratch=$(mktemp -d /tmp/docmill-scratch-XXXXXX)
chmod 0777 "$scratch"
# Removes everything that was created for this run.
clean() {
    rm -rf "$scratch"
    [ -n "$kept" ] || rm -rf "$root"
}
trap clean EXIT

fail() {
    echo "Error: $*" >&2
    exit 1
}

# The first URL after `deb` or `URIs:` in this machine's apt configuration.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null \
        | sed -nE "s#^(URIs:|deb( \[[^]]*\])?) +([^ ]*/$1/?)( .*)?\$#\3#p" | head -1
}

make_root() {
    suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim@.*/\1/p' "$here/Dockerfile")
    [ -n "$suite" ] || fail "the Dockerfile names no suite of Debian"
    plain=${MIRROR:-$(mirror debian)} security=${SECURITY_MIRROR:-$(mirror debian-security)}
    if [ -z "$plain" ] || [ -z "$security" ]; then fail "set MIRROR and SECURITY_MIRROR"; fi
    echo "Installing Debian $suite into $root" >&2
    mmdebstrap --quiet --variant=apt "$suite" "$root" "deb $plain $suite main" "deb $security $suite-security main"
}

# Runs a command in the root, as root with network access, like `RUN`.
run() {
    bwrap --bind "$root" / --dev /dev --proc /proc --perms 1777 --tmpfs /tmp --ro-bind /etc/resolv.conf /etc/resolv.conf \
        --clearenv --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# Converts a sample in the image to a PDF with this many pages, by the engine's fast way: falling back gives a warning.
convert() {
    pages=$1 source=$2 options=$3 tool=$4
    "$here/like-lambda.sh" /usr/local/bin/worker convert --tool "$tool" --options "$options" --json \
        --in "$project/samples/$source" --out "$scratch/out.pdf" >"$scratch/answer" 2>"$scratch/warnings" \
        || fail "$source: $(cat "$scratch/answer" "$scratch/warnings")"
    cat "$scratch/answer"
    grep -q "\"pages\":$pages," "$scratch/answer" || fail "$source should have $pages pages"
    [ ! -s "$scratch/warnings" ] || fail "$(cat "$scratch/warnings")"
}

[ -e "$root/usr/bin/apt-get" ] || make_root
# Creates the project's directory in the image now, since its root will be read-only.
mkdir -p "$root/opt/docmill" "$root$project"
cp -r "$here/packages" "$here/jbig.c" "$here/install.sh" "$here/fonts" "$root/opt/docmill/"
# The host's apt settings are for its mirrors, and the image's release may not know the current date.
cp /etc/apt/apt.conf.d/*registry* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
run /opt/docmill/install.sh packages
cp --remove-destination "$worker" "$root/usr/local/bin/worker"
run /opt/docmill/install.sh settle
run /opt/docmill/install.sh check

export IMAGE_ROOT="$root" LIKE_LAMBDA_SCRATCH="$scratch" TMPDIR="$scratch"
convert 1 small.docx '{}' office-to-pdf
convert 2 small.xlsx '{}' office-to-pdf
convert 3 small.pptx '{}' office-to-pdf
convert 1 invoice.html '{}' html-to-pdf
convert 1 invoice.html '{"renderMode": "basic"}' html-to-pdf
export DOCMILL_WORKER="$here/like-lambda.sh /usr/local/bin/worker"
cargo test --manifest-path "$project/Cargo.toml" --workspace --test corpus -- --ignored
du -sh "$root" | sed 's/\t.*/ in the image/'
