#!/bin/sh
# Cargo starts every program that it runs by this: the worker's tests as Lambda runs the worker (like-lambda.sh), and
# everything else as it is.
#
# What the kernel can confine where Lambda's filter does not apply (other machines, Fargate) is the matter of `confine` and `platform`.
# `escape` runs both ways. A test that needs more than an ordinary user may do belongs into a test binary called `as_root`.
# DOCMILL_WORKER names a worker
# that is confined already, as the one in the image is. FUZZ_SECONDS looks for long, and keeps what it finds in this project.
set -eu

case "${CARGO_PKG_NAME:-}" in
    worker | docmill-browser | docmill-confine | docmill-engine | docmill-fetch | docmill-html-basic | docmill-office) ;;
    docmill-office-rewrite | docmill-pdf-engine | docmill-plan | docmill-signer | docmill-sniff) ;;
    *) exec "$@" ;;
esac
case "$1" in
    */deps/as_root-*) exec "$@" ;;
    */deps/*) [ -z "${DOCMILL_WORKER:-}${FUZZ_SECONDS:-}" ] || exec "$@" ;;
    *) exec "$@" ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
target=$(cd "$(dirname "$1")/.." && pwd)
# Tests run in parallel, and each may use a function's memory.
export LIKE_LAMBDA_READS="$target" LIKE_LAMBDA_PASS=CARGO_MANIFEST_DIR AWS_LAMBDA_FUNCTION_MEMORY_SIZE=4096
case "$1" in
    */deps/confine-* | */deps/platform-*) export LIKE_LAMBDA_FILTER=none ;;
    */deps/escape-*) LIKE_LAMBDA_FILTER=none "$here/like-lambda.sh" "$@" ;;
esac
exec "$here/like-lambda.sh" "$@"
