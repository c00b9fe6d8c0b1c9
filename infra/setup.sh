#!/bin/sh
# Prepares a machine: system packages, and Python environments, Node modules and cargo-deny with pinned versions in the
# cache.
#
#   infra/setup.sh compiler      installs what compiling takes, if it is missing
#   infra/setup.sh system        installs what is missing of LibreOffice, Chromium, poppler, qpdf, fonts and the clients' tools
#   infra/setup.sh python NAME   makes the environment of infra/requirements-NAME.txt, and prints its interpreter
#   infra/setup.sh wheels NAME   downloads the packages of infra/requirements-NAME.txt, and prints their folder
#   infra/setup.sh node FOLDER   installs what the folder's package-lock.json names, and prints where it is
#   infra/setup.sh go            installs Go if it is missing, and prints where it is
#   infra/setup.sh cargo-deny    compiles it (a minute of one core, once), and prints where it is
#   infra/setup.sh progenitor    the same for the generator of clients in Rust (three minutes)
#   infra/setup.sh typify        the same with the generator of Rust types (a minute)
#   infra/setup.sh oapi-codegen  the same with the generator of Go types (half a minute)
#   infra/setup.sh rie           the same with AWS's emulator of Lambda's Runtime API (half a minute)
#   infra/setup.sh openapi-generator   installs a JDK if it is missing, takes the generator from Maven, with what its Java clients need
#   infra/setup.sh dynamodb-local   installs Java if it is missing, takes AWS's DynamoDB Local from Maven, and prints where its jars are
#   infra/setup.sh validators    installs a JDK if it is missing, takes validators of PDF/A from Maven, and prints where their jars are
#   infra/setup.sh invoice-validator   the same with a validator of Factur-X invoices
#   infra/setup.sh signature-validator   the same with DSS, the EU's validator of signatures
#
# All return at once when there is nothing to do. Progress goes to stderr, and a failure is one line.
set -eu

cache=${DOCMILL_CACHE:-$HOME/.cache/docmill}
here=$(cd "$(dirname "$0")" && pwd)
fonts=/usr/local/share/fonts/docmill

fail() {
    echo "Error: $*" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# The first digits of standard input's SHA-256. macOS has shasum instead.
sha256() {
    if has sha256sum; then sha256sum; else shasum -a 256; fi | cut -c 1-12
}

has_font() {
    has fc-list && fc-list : family | grep -q "$1"
}

# The Debian packages to install for compiling.
missing_compiler() {
    has cc || echo build-essential
    has nasm || echo nasm  # Otherwise, the JPEG encoder is built without its fast paths.
}

# The other Debian packages to install.
missing_packages() {
    has curl || echo curl
    has jq || echo jq
    has openssl || echo openssl
    has python3 && python3 -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
    has soffice || echo libreoffice-writer libreoffice-calc libreoffice-impress libreoffice-draw
    [ -e /usr/lib/libreoffice/program/libsmlo.so ] || echo libreoffice-math
    missing_hyphenation
    missing_models
    has chromium-headless-shell || echo chromium-headless-shell
    ls /usr/lib/*/libjemalloc.so.2 >/dev/null 2>&1 || echo libjemalloc2
    has pdftotext || echo poppler-utils
    # A test tries to read redacted words with it.
    has tesseract || echo tesseract-ocr
    # Tests decode QR codes and bar codes with it.
    has ZXingReader || echo zxing-cpp-tools
    ls /usr/lib/*/libqpdf.so.[23][90] >/dev/null 2>&1 || echo qpdf
    has fc-list || echo fontconfig
    # The worker's tests run in it, as on Lambda.
    has bwrap || echo bubblewrap
    has setpriv || echo util-linux
    has_font 'Liberation Sans' || echo fonts-liberation
    has_font Carlito || echo fonts-crosextra-carlito
    has_font Caladea || echo fonts-crosextra-caladea
    has_font 'Noto Sans Arabic' || echo fonts-noto-core
    has_font 'Noto Sans CJK' || echo fonts-noto-cjk
    has_font Symbola || echo fonts-symbola
    has_font 'Noto Color Emoji' || echo fonts-noto-color-emoji
    has_font 'DejaVu Sans' || echo fonts-dejavu-core
    has_font 'TeX Gyre Adventor' || echo fonts-texgyre
    has_font 'Baekmuk Dotum' || echo fonts-baekmuk
    has_font IPAPGothic || echo fonts-ipafont-gothic
    has_font IPAPMincho || echo fonts-ipafont-mincho
    has_font OpenSymbol || echo fonts-opensymbol
}

# The image's hyphenation dictionaries, as far as this distribution has them.
missing_hyphenation() {
    [ -e /usr/share/hyphen/hyph_zu_ZA.dic ] || grep "^hyphen-" "$here/worker/packages"
}

# Tesseract: the library and the image's languages.
missing_models() {
    ls /usr/lib/*/libtesseract.so.5 >/dev/null 2>&1 || echo libtesseract5
    for package in $(grep '^tesseract-ocr-' "$here/worker/packages"); do
        model=$(echo "${package#tesseract-ocr-}" | tr - _)
        [ -e "/usr/share/tesseract-ocr/5/tessdata/$model.traineddata" ] || echo "$package"
    done
}

# Our own fonts, which no package contains.
setup_fonts() {
    for font in "$here"/worker/fonts/*.ttf; do
        cmp -s "$font" "$fonts/$(basename "$font")" || missing=yes
    done
    [ -n "${missing:-}" ] || return 0
    echo "Installing fonts into $fonts" >&2
    as_root mkdir -p "$fonts"
    as_root cp "$here"/worker/fonts/*.ttf "$here"/worker/fonts/*.txt "$fonts"
    as_root fc-cache "$fonts"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

setup_compiler() {
    has cargo || fail "Rust is missing: install it with rustup, then try again."
    install_packages "$(missing_compiler | paste -sd ' ')"
    # The password now, rather than beside what the compiler says.
    [ -z "$(missing_packages)" ] || [ "$(id -u)" = 0 ] || ! has sudo || sudo -v
}

setup_system() {
    setup_compiler
    install_packages "$(missing_packages | paste -sd ' ')"
    setup_fonts
}

# $1: missing Debian packages, separated by spaces.
install_packages() {
    packages=$1
    [ -n "$packages" ] || return 0
    has apt-get || fail "Missing here: $packages. Install them with this system's package manager."
    [ "$(id -u)" = 0 ] || has sudo || fail "Missing here: $packages. Install them as root with apt-get."
    mkdir -p "$cache"
    log=$cache/apt.log
    echo "Installing $packages" >&2
    as_root apt-get update >"$log" 2>&1 || fail "apt-get update failed: is there a network? The log is $log"
    if ! apt-cache show chromium-headless-shell >/dev/null 2>&1; then
        echo "This distribution has no chromium-headless-shell: renderMode browser will fail here." >&2
        packages=$(echo "$packages" | sed 's/chromium-headless-shell//')
    fi
    # shellcheck disable=SC2086 # A list of packages.
    as_root apt-get install -y --no-install-recommends $packages >>"$log" 2>&1 \
        || fail "apt-get could not install $packages: $(grep '^E:' "$log" | tail -1) The log is $log"
}

# Fills a directory of the cache with a command, unless this was done before. Locked, because two clones may share it.
once() {
    directory=$1
    shift
    [ ! -e "$directory/complete" ] || return 0
    mkdir -p "$cache"
    exec 9>"$cache/setup.lock"
    # As flock(1) does, which is not on every system: the lock belongs to the open file and outlives this process.
    python3 -c 'import fcntl; fcntl.flock(9, fcntl.LOCK_EX)' || fail "Python 3 is missing: install python3, then try again."
    if [ ! -e "$directory/complete" ]; then
        "$@"
        touch "$directory/complete"
    fi
    exec 9>&-
}

# Sets `requirements`, and `pinned`: what the name of its directories ends with.
find_requirements() {
    requirements=$here/requirements-$1.txt
    has python3 || fail "Python 3 is missing: install python3 and python3-venv, then try again."
    version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    # Includes the requirements files that it refers to.
    digest=$( (cd "$here" && cat "$requirements" && sed -n 's/^-r //p' "$requirements" | while read -r other; do cat "$other"; done) | sha256)
    pinned=$1-$version-$digest
}

setup_python() {
    find_requirements "$1"
    venv=$cache/venv-$pinned
    once "$venv" make_venv "$venv" "$requirements"
    echo "$venv/bin/python"
}

make_venv() {
    echo "Installing the Python packages of $(basename "$2")" >&2
    log=$cache/pip.log
    rm -rf "$1"
    python3 -m venv "$1" >"$log" 2>&1 || fail "python3 -m venv failed: is python3-venv installed? The log is $log"
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$2" >>"$log" 2>&1 \
        || fail "pip could not install $(basename "$2"): is there a network? The log is $log"
}

setup_wheels() {
    find_requirements "$1"
    once "$cache/wheels-$pinned" download_wheels "$cache/wheels-$pinned"
    echo "$cache/wheels-$pinned"
}

download_wheels() {
    echo "Downloading the Python packages of $(basename "$requirements")" >&2
    log=$cache/pip.log
    rm -rf "$1"
    python3 -m pip download --quiet --disable-pip-version-check --requirement "$requirements" --dest "$1" >"$log" 2>&1 \
        || fail "pip could not download the packages of $(basename "$requirements"): is there a network? The log is $log"
}

setup_go() {
    has go || install_packages golang-go
    command -v go
}

setup_node() {
    node=$(dirname "$(setup_python node)")
    digest=$(sha256 <"$1/package-lock.json")
    modules=$cache/node-$(basename "$1")-$digest
    once "$modules" install_modules "$1" "$modules" "$node"
    echo "$modules/node_modules"
}

install_modules() {
    echo "Installing the Node modules of $1" >&2
    log=$cache/npm.log
    rm -rf "$2"
    mkdir -p "$2"
    cp "$1/package.json" "$1/package-lock.json" "$1/.npmrc" "$2"
    (cd "$2" && PATH="$3:$PATH" npm ci --no-audit --no-fund) >"$log" 2>&1 \
        || fail "npm could not install the modules of $1: is there a network? The log is $log"
}

cargo_deny_version=0.20.2
oapi_codegen_version=2.8.2
progenitor_version=0.15.1
typify_version=0.8.0
rie_version=v0.0.0-20261030222936-bef5c4ba774d

setup_cargo_deny() {
    setup_crate cargo-deny "$cargo_deny_version" --no-default-features
}

# The generator of clients in Rust.
setup_progenitor() {
    setup_crate cargo-progenitor "$progenitor_version"
}

# The generator of Rust types.
setup_typify() {
    setup_crate cargo-typify "$typify_version"
}

# $1: a crate with a program of the same name, $2: its version, then cargo's options.
setup_crate() {
    root=$cache/$1-$2
    once "$root" install_crate "$root" "$@"
    echo "$root/bin/$1"
}

# An unoptimised build runs within seconds too, and compiles in a quarter of the time.
install_crate() {
    root=$1
    crate=$2
    version=$3
    shift 3
    echo "Compiling $crate" >&2
    log=$cache/$crate.log
    CARGO_TARGET_DIR="$root/target" CARGO_PROFILE_DEV_DEBUG=0 cargo install "$crate" --version "$version" \
        --locked --debug --force --root "$root" "$@" >"$log" 2>&1 \
        || fail "$crate could not be compiled: is there a network? The log is $log"
    rm -rf "$root/target"
}

setup_openapi_generator() {
    setup_jars openapi-generator "$(has javac || echo default-jdk-headless)"
}

# The generator of Go types.
setup_oapi_codegen() {
    root=$cache/oapi-codegen-$oapi_codegen_version
    once "$root" install_oapi_codegen "$root"
    echo "$root/oapi-codegen"
}

install_oapi_codegen() {
    echo "Compiling oapi-codegen" >&2
    log=$cache/oapi-codegen.log
    GOBIN=$1 "$(setup_go)" install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$oapi_codegen_version" >"$log" 2>&1 \
        || fail "oapi-codegen could not be compiled: is there a network? The log is $log"
}

# AWS's emulator of Lambda's Runtime API.
setup_rie() {
    root=$cache/rie-$rie_version
    once "$root" install_rie "$root"
    echo "$root/aws-lambda-rie"
}

install_rie() {
    echo "Compiling AWS's emulator of the Runtime API" >&2
    log=$cache/rie.log
    GOBIN=$1 "$(setup_go)" install "github.com/aws/aws-lambda-runtime-interface-emulator/cmd/aws-lambda-rie@$rie_version" >"$log" 2>&1 \
        || fail "aws-lambda-rie could not be compiled: is there a network? The log is $log"
}

setup_dynamodb_local() {
    setup_jars dynamodb-local "$(has java || echo default-jre-headless)"
}

# Validators of PDF/A, and a compiler for the few lines that call them.
setup_validators() {
    setup_jars validators "$(has javac || echo default-jdk-headless)"
}

setup_invoice_validator() {
    setup_jars invoice-validator "$(has javac || echo default-jdk-headless)"
}

setup_signature_validator() {
    setup_jars signature-validator "$(has javac || echo default-jdk-headless)"
}

# $1: a folder with a pom.xml, $2: the Debian package of Java, if missing.
setup_jars() {
    pom=$here/$1/pom.xml
    jars=$cache/$1-$(sha256 <"$pom")
    install_packages "$(echo "$2" "$(has mvn || [ -e "$jars/complete" ] || echo maven)" | xargs)"
    once "$jars" copy_jars "$pom" "$jars" "$1"
    echo "$jars"
}

# Maven's own plugins are not kept.
copy_jars() {
    echo "Downloading the jars of $3" >&2
    log=$cache/maven.log
    rm -rf "$2"
    repository=$(mktemp -d)
    mvn --batch-mode --file "$1" "-Dmaven.repo.local=$repository" "-DoutputDirectory=$2" -DincludeScope=runtime \
        org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies >"$log" 2>&1 \
        || fail "Maven could not download the jars of $3: is there a network? The log is $log"
    rm -rf "$repository"
}

case "${1:-}" in
    compiler) setup_compiler ;;
    system) setup_system ;;
    python) setup_python "$2" ;;
    wheels) setup_wheels "$2" ;;
    node) setup_node "$2" ;;
    go) setup_go ;;
    cargo-deny) setup_cargo_deny ;;
    progenitor) setup_progenitor ;;
    typify) setup_typify ;;
    oapi-codegen) setup_oapi_codegen ;;
    rie) setup_rie ;;
    openapi-generator) setup_openapi_generator ;;
    dynamodb-local) setup_dynamodb_local ;;
    validators) setup_validators ;;
    invoice-validator) setup_invoice_validator ;;
    signature-validator) setup_signature_validator ;;
    *) fail "usage: infra/setup.sh compiler | system | python NAME | wheels NAME | node FOLDER | go | cargo-deny | progenitor | typify | oapi-codegen | rie | openapi-generator | dynamodb-local | validators | invoice-validator | signature-validator" ;;
esac
