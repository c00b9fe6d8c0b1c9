#!/bin/sh
# Makes the worker's image without Docker, in a root directory of its own, and converts documents in it as Lambda would:
# root read-only, only /tmp to write to, an unprivileged user, no HOME. `make test-image` runs it.
#
# Needs mmdebstrap, bubblewrap, root and some 3 GB. MIRROR and SECURITY_MIRROR name Debian's mirrors; by default those that
# this machine uses.
set -eu

worker=$1
root=${IMAGE_ROOT:-$(mktemp -d /tmp/docmill-image-XXXXXX)}
here=$(cd "$(dirname "$0")" && pwd)
samples=$here/../../samples

fail() {
    echo "Error: $*" >&2
    exit 1
}

# The first word after `deb`, or of a `URIs:` line, in what this machine's apt reads.
mirror() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null \
        | sed -nE "s#^(URIs:|deb( \[[^]]*\])?) +([^ ]*/$1/?)( .*)?\$#\3#p" | head -1
}

make_root() {
    suite=$(sed -n 's/^FROM debian:\([a-z]*\)-slim$/\1/p' "$here/Dockerfile")
    plain=${MIRROR:-$(mirror debian)} security=${SECURITY_MIRROR:-$(mirror debian-security)}
    if [ -z "$plain" ] || [ -z "$security" ]; then fail "set MIRROR and SECURITY_MIRROR"; fi
    echo "Installing Debian $suite into $root" >&2
    mmdebstrap --quiet --variant=apt "$suite" "$root" "deb $plain $suite main" "deb $security $suite-security main"
}

# A command in the root, as root, with the network: what `RUN` does.
run() {
    bwrap --bind "$root" / --dev /dev --proc /proc --perms 1777 --tmpfs /tmp --ro-bind /etc/resolv.conf /etc/resolv.conf \
        --clearenv --setenv PATH /usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# The worker as Lambda runs it, but for the network, which a conversion of local files does not need.
convert() {
    bwrap --ro-bind "$root" / --dev /dev --proc /proc --bind "$scratch" /tmp --ro-bind "$samples" /samples \
        --unshare-net --unshare-pid --unshare-user --uid 10001 --gid 10001 --clearenv \
        --setenv TMPDIR /tmp --setenv LANG C.UTF-8 --setenv PATH /usr/bin:/bin \
        /usr/local/bin/worker convert "$@" --json
}

[ -e "$root/usr/bin/apt-get" ] || make_root
mkdir -p "$root/opt/docmill" "$root/samples"
cp "$here/packages" "$here/install.sh" "$root/opt/docmill/"
# The host's apt settings reach its mirrors, and the clock may be one that they do not know.
cp /etc/apt/apt.conf.d/*registry* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
run /opt/docmill/install.sh packages
cp "$worker" "$root/usr/local/bin/worker"
run /opt/docmill/install.sh settle
run /opt/docmill/install.sh check

scratch=$(mktemp -d /tmp/docmill-scratch-XXXXXX)
chmod 0777 "$scratch"
trap 'rm -rf "$scratch"' EXIT
for source in small.docx small.xlsx small.pptx; do
    convert --tool office-to-pdf --in "/samples/$source" --out "/tmp/${source%.*}.pdf"
done
convert --tool html-to-pdf --in /samples/invoice.html --out /tmp/browser.pdf
convert --tool html-to-pdf --in /samples/invoice.html --out /tmp/basic.pdf --options '{"renderMode": "basic"}'
for pdf in "$scratch"/*.pdf; do
    head -c 5 "$pdf" | grep -q '^%PDF-' || fail "$pdf is no PDF"
done
du -sh "$root" | sed 's/\t.*/ in the image/'
