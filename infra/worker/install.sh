#!/bin/sh
# Turns a bare Debian into the worker's system. The image runs it, and so does `make test-image`, in a root directory of its
# own. It runs as root inside of the system that it changes.
#
#   install.sh packages   engines and fonts, with the security updates of the day, and none of libjbig
#   install.sh settle     font caches, the unprivileged user, and no file that lends anybody rights
#   install.sh check      fails if anything of that is not so
set -eu

here=$(cd "$(dirname "$0")" && pwd)
WORKER=/usr/local/bin/worker
FONTS=/usr/local/share/fonts/docmill
# Lambda runs functions as its own user, whatever the image says. Everything else uses this one.
USER_ID=10001

fail() {
    echo "Error: $*" >&2
    exit 1
}

packages() {
    export DEBIAN_FRONTEND=noninteractive
    apt-get update
    apt-get upgrade -y
    # shellcheck disable=SC2046 # A list of packages.
    apt-get install -y --no-install-recommends $(grep -v '^#' "$here/packages")
    replace_libjbig
    apt-get clean
    rm -rf /var/lib/apt/lists/*
}

# libtiff links to libjbig, which is under the GPL. It is replaced by a stub library.
replace_libjbig() {
    library=$(ls /usr/lib/*/libjbig.so.0)
    dpkg-divert --quiet --local --rename --divert "$library.gpl" --add "$library"
    apt-get install -y --no-install-recommends gcc
    gcc -shared -nostdlib -fPIC -Os -Wl,-soname,libjbig.so.0 -o "$library" "$here/jbig.c"
    apt-get purge -y --auto-remove gcc
    rm -f "$library.gpl"
}

settle() {
    # Fonts without a Debian package.
    mkdir -p "$FONTS"
    cp "$here"/fonts/*.ttf "$here"/fonts/*.txt "$FONTS"
    # The root is read-only on Lambda, so every environment would create a missing font cache again.
    fc-cache --force --system-only
    getent passwd docmill >/dev/null \
        || useradd --uid "$USER_ID" --no-create-home --home-dir /tmp --shell /usr/sbin/nologin docmill
    # Nobody logs in, and no program needs set-user-id rights.
    find / -xdev -type f -perm /6000 -exec chmod a-s {} +
    chmod 0755 "$WORKER"
}

check() {
    for program in /usr/lib/libreoffice/program/soffice.bin /usr/bin/chromium-headless-shell "$WORKER"; do
        [ -x "$program" ] || fail "$program is missing"
    done
    ls /usr/lib/*/libjemalloc.so.2 >/dev/null || fail "jemalloc is missing"
    grep -q 'JBIG is not supported' /usr/lib/*/libjbig.so.0 || fail "libjbig, which is under the GPL, was not replaced"
    [ -e /usr/lib/libreoffice/program/libsmlo.so ] || fail "LibreOffice Math is missing: equations would disappear"
    [ -e /usr/share/hyphen/hyph_en_US.dic ] || fail "the hyphenation dictionaries are missing"
    for package in $(grep '^tesseract-ocr-' "$here/packages"); do
        model=$(echo "${package#tesseract-ocr-}" | tr - _)
        [ -e "/usr/share/tesseract-ocr/5/tessdata/$model.traineddata" ] || fail "Tesseract's model $model is missing"
    done
    for family in 'Liberation Sans' 'Liberation Sans Narrow' Carlito Caladea 'Noto Sans Arabic' 'Noto Sans CJK JP' Symbola \
        'Noto Color Emoji' 'DejaVu Sans' 'TeX Gyre Adventor' 'Baekmuk Dotum' IPAMincho OpenSymbol Gelasio 'Comic Relief' \
        'Cascadia Mono' 'Inconsolata Semi Wide' 'Caladea Tall' 'DejaVu Sans Tall' 'Arimo Tall' 'Arimo Extra Tall' 'DejaVu Arabic Narrow' \
        'Arimo Hebrew Narrow' 'Arimo Fitted'; do
        fc-list : family | grep -q "$family" || fail "the font $family is missing"
    done
    ! fc-cache --verbose --system-only | grep ': caching, ' || fail "a font cache is not up to date"
    lent=$(find / -xdev -type f -perm /6000)
    [ -z "$lent" ] || fail "these lend their owner's rights: $lent"
    # Directories with the sticky bit are normal; other world-writable files or directories are mistakes.
    open=$(find / -xdev \( -type f -o -type d ! -perm -1000 \) -perm -0002 ! -path '/proc/*' ! -path '/sys/*' ! -path '/dev/*')
    [ -z "$open" ] || fail "anybody may write to $open"
    [ "$(stat -c '%U %a' "$WORKER")" = "root 755" ] || fail "the worker's binary must be root's, and nobody else's to write"
    [ "$(id -u docmill)" = "$USER_ID" ] || fail "there is no user docmill"
}

case "${1:-}" in
    packages | settle | check) "$1" ;;
    *) fail "usage: install.sh packages | settle | check" ;;
esac
