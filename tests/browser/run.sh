#!/bin/sh
# Runs journeys in a browser against the stack at DOCMILL_URL: all, or the given files.
#
#   tests/browser/run.sh [FILE.test.mjs …]
#   tests/browser/run.sh screenshots FOLDER [NAME …]
#
# Most files have people of their own, and run two at a time. Some change settings of the whole service and restore them: they come
# last, one at a time, and so do files that are given.
set -eu
[ -n "${DOCMILL_URL:-}" ] || { echo "No journeys in a browser: only storage was deployed." >&2; exit 0; }
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/tests/browser
BROWSER_MODULES=$("$root/infra/setup.sh" node "$here")
LOCAL_PYTHON=$("$root/infra/setup.sh" python local)
node=$(dirname "$("$root/infra/setup.sh" python node)")/node
export BROWSER_MODULES LOCAL_PYTHON
if [ "${1:-}" = screenshots ]; then
    shift
    exec "$node" "$here/screenshots.mjs" "$@"
fi
# A function's first request also starts it, which may exceed the request's time on a busy machine.
for page in / /app /admin; do
    curl --silent --show-error --fail --retry 9 --retry-delay 1 --output /dev/null "$DOCMILL_URL$page"
done
journeys() {
    at_once=$1
    shift
    "$node" --test --test-concurrency="$at_once" --test-reporter=spec "$@"
}
if [ $# -eq 0 ]; then
    cd "$here"
    together=
    for file in *.test.mjs; do
        case $file in
        admin.* | keyboard.* | sign_in.* | visibility.*) set -- "$@" "$file" ;;
        *) together="$together $file" ;;
        esac
    done
    # shellcheck disable=SC2086 # These names have no spaces.
    journeys 2 $together
fi
journeys 1 "$@"
