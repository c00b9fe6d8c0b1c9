#!/bin/sh
# Runs a command as AWS Lambda runs the worker. Everything that proves something about the worker runs it by this:
#
#   like-lambda.sh COMMAND…
#
# - an ordinary user who owns no file, without other groups or capabilities, and unable to gain any
# - no user namespace: bubblewrap is started as root, in the place of Lambda's own sandbox, and the user changes inside
# - a read-only root, and one directory to write to: TMPDIR, which is /tmp. Nothing can be written to /dev/shm
# - no home, no other processes, an environment that holds what is listed below, and a network that is only loopback
# - the function's memory, AWS_LAMBDA_FUNCTION_MEMORY_SIZE in MiB: the kernel's limit, where a control group can be made
#
# Settings, by the environment:
#   IMAGE_ROOT             a root directory other than this machine's
#   LIKE_LAMBDA_SCRATCH    the directory to write to, instead of a new one: TMPDIR is then its path, inside as outside
#   LIKE_LAMBDA_READS      directories that the command must see although they lie in a home or in /tmp, joined by colons
#   LIKE_LAMBDA_PASS       names of further variables that the command gets
#   LIKE_LAMBDA_NETWORK    `host`: this machine's network, for a worker that is to reach the local stack
#
# Who is not root has no privileges to lose: the command runs as it is, and a line says so.
set -eu

USER_ID=60993 GROUP_ID=60990
: "${AWS_LAMBDA_FUNCTION_MEMORY_SIZE:=2048}"

fail() {
    echo "like-lambda: $*" >&2
    exit 125
}

if [ "$(id -u)" != 0 ]; then
    echo "like-lambda: not root: the command sees this machine's files, and its memory has no limit" >&2
    exec setpriv --no-new-privs "$@"
fi
command -v bwrap >/dev/null || fail "bubblewrap is missing: run \`make setup\`"

project=$(cd "$(dirname "$0")/../.." && pwd)
scratch=${LIKE_LAMBDA_SCRATCH:-}
[ -n "$scratch" ] || scratch=$(mktemp -d "${TMPDIR:-/tmp}/like-lambda-XXXXXX")
group=

clean() {
    # Processes that were just killed may still be counted.
    [ -z "$group" ] || rmdir "$group" 2>/dev/null || { sleep 1 && rmdir "$group"; } || true
    [ -n "${LIKE_LAMBDA_SCRATCH:-}" ] || rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 143' HUP INT TERM
chmod 0777 "$scratch"

# A control group for this run, of version 1 or 2, whichever counts memory here. Groups of killed runs are removed first.
limit_memory() {
    for group in /sys/fs/cgroup/memory/docmill-* /sys/fs/cgroup/docmill-*; do
        [ ! -d "$group" ] || kill -0 "${group##*-}" 2>/dev/null || rmdir "$group" 2>/dev/null || true
    done
    for limit in /sys/fs/cgroup/memory/docmill-$$/memory.limit_in_bytes /sys/fs/cgroup/docmill-$$/memory.max; do
        group=$(dirname "$limit")
        mkdir "$group" 2>/dev/null || continue
        ! echo $((AWS_LAMBDA_FUNCTION_MEMORY_SIZE << 20)) 2>/dev/null >"$limit" || return 0
        rmdir "$group"
    done
    group=
    echo "like-lambda: no control group can be made here: the kernel does not limit memory" >&2
}
limit_memory

# Built from the last argument to the first: the command, its user, and what it sees.
set -- setpriv --reuid "$USER_ID" --regid "$GROUP_ID" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
for name in AWS_LAMBDA_FUNCTION_MEMORY_SIZE RUST_BACKTRACE RUST_TEST_THREADS ${LIKE_LAMBDA_PASS:-}; do
    eval "value=\${$name-}"
    [ -z "$value" ] || set -- --setenv "$name" "$value" "$@"
done
[ "${LIKE_LAMBDA_NETWORK:-}" = host ] || set -- --unshare-net "$@"
# The project, then nothing in place of its `.local`, which this user can't read, then paths that may lie in it.
nothing=
[ ! -d "$project/.local" ] || nothing=$project/.local
IFS=:
for directory in ${LIKE_LAMBDA_READS:-} $nothing $project; do
    if [ "$directory" = "$nothing" ]; then
        set -- --tmpfs "$directory" "$@"
    else
        set -- --ro-bind "$directory" "$directory" "$@"
    fi
    # Parent directories must be accessible to that user, unlike those that bubblewrap creates itself.
    while directory=$(dirname "$directory") && [ "$directory" != / ]; do set -- --dir "$directory" "$@"; done
done
unset IFS
if [ -n "${LIKE_LAMBDA_SCRATCH:-}" ]; then
    set -- --bind "$scratch" "$scratch" "$@"
    directory=$scratch
    while directory=$(dirname "$directory") && [ "$directory" != / ]; do set -- --dir "$directory" "$@"; done
    set -- --setenv TMPDIR "$scratch" --tmpfs /tmp "$@"
else
    set -- --setenv TMPDIR /tmp --bind "$scratch" /tmp "$@"
fi
for home in /root /home; do
    set -- --tmpfs "$home" "$@"
done
set -- --ro-bind "${IMAGE_ROOT:-/}" / --dev /dev --remount-ro /dev --proc /proc "$@"
set -- --die-with-parent --new-session --unshare-pid --unshare-ipc --clearenv \
    --setenv PATH /usr/local/bin:/usr/bin:/bin --setenv LANG C.UTF-8 "$@"

status=0
# shellcheck disable=SC2016 # The inner shell's own.
sh -c '[ -z "$0" ] || echo $$ >"$0/cgroup.procs"; exec bwrap "$@"' "$group" "$@" || status=$?
exit "$status"
