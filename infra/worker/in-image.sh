#!/bin/sh
# The worker as Lambda runs it, in the root directory IMAGE_ROOT: read-only, with TMPDIR alone to write to, as an
# unprivileged user, without HOME, and without the network, which a conversion of local files does not need. This project's
# files are where they are outside. Tests take it for the worker: DOCMILL_WORKER=infra/worker/in-image.sh.
set -eu

project=$(cd "$(dirname "$0")/../.." && pwd)
exec bwrap --ro-bind "$IMAGE_ROOT" / --dev /dev --proc /proc --tmpfs /tmp \
    --ro-bind "$project" "$project" --bind "$TMPDIR" "$TMPDIR" \
    --unshare-net --unshare-pid --unshare-user --uid 10001 --gid 10001 --die-with-parent --clearenv \
    --setenv TMPDIR "$TMPDIR" --setenv LANG C.UTF-8 --setenv PATH /usr/bin:/bin \
    /usr/local/bin/worker "$@"
