#!/bin/sh
# Runs a command as AWS Lambda runs the worker, and stricter where it is unknown what Lambda allows. Everything that proves something
# about the worker runs it by this:
#
#   like-lambda.sh COMMAND…
#
# - an ordinary user who owns no file, without other groups or capabilities, and unable to gain any
# - Lambda's own system call filter (lambda-seccomp.py): no filters of the command's own, no Landlock, namespaces, tracing, mounts, and
#   no call that is newer than Linux 5.10
# - a read-only root, and one directory to write to: /tmp, which has a size. There is no /dev/shm
# - no home, no other processes, an environment that holds what is listed below, and a network that is only loopback
# - 1,024 open files, 1,024 processes and threads, the function's memory (AWS_LAMBDA_FUNCTION_MEMORY_SIZE in MiB), and the share of
#   processors that comes with it: the kernel's limits, where control groups can be made
#
# Settings, by the environment:
#   IMAGE_ROOT             a root directory other than this machine's
#   LIKE_LAMBDA_FILTER     `none`: without Lambda's filter, for tests of what other machines and Fargate allow to confine
#   LIKE_LAMBDA_GROUP      the name of the control groups, so that a test can freeze the command as Lambda does between invocations:
#                          docmill-PID-…, with the id of the test's process. Other runs remove the groups of processes that have ended
#   LIKE_LAMBDA_TMP        MiB of /tmp (3072)
#   LIKE_LAMBDA_SCRATCH    the directory to write to, instead of a new one: TMPDIR is then its path, and it has no size
#   LIKE_LAMBDA_READS      directories that the command must see although they lie in a home or in /tmp, joined by colons
#   LIKE_LAMBDA_PASS       names of further variables that the command gets
#   LIKE_LAMBDA_NETWORK    `host`: this machine's network, for a worker that is to reach the local stack
#
# Who is not root has no privileges to lose: the command runs as it is, and a line says so.
set -eu

USER_ID=60993 GROUP_ID=60990
: "${AWS_LAMBDA_FUNCTION_MEMORY_SIZE:=2048}" "${LIKE_LAMBDA_TMP:=3072}" "${LIKE_LAMBDA_GROUP:=docmill-$$}"
MOST_FILES=1024 MOST_PROCESSES=1024
# Lambda gives one processor for each 1,769 MB.
CPU_PERIOD=100000 CPU_QUOTA=$((AWS_LAMBDA_FUNCTION_MEMORY_SIZE * 100000 / 1769))

fail() {
    echo "like-lambda: $*" >&2
    exit 125
}

if [ "$(id -u)" != 0 ]; then
    echo "like-lambda: not root: the command sees this machine's files, and its memory has no limit" >&2
    exec setpriv --no-new-privs "$@"
fi
command -v bwrap >/dev/null || fail "bubblewrap is missing: run \`make setup\`"

here=$(cd "$(dirname "$0")" && pwd)
project=$(cd "$here/../.." && pwd)
scratch=${LIKE_LAMBDA_SCRATCH:-}
groups=

clean() {
    # Processes that were just killed may still be counted.
    for group in $groups; do
        rmdir "$group" 2>/dev/null || { sleep 1 && rmdir "$group"; } || true
    done
}
trap clean EXIT
trap 'exit 143' HUP INT TERM
[ -z "$scratch" ] || chmod 0777 "$scratch"

# Sets limits of a controller, of version 1 or 2, whichever is here: limit CONTROLLER FILE=VALUE… The first of the files that exists
# counts. Groups of runs that were killed are removed first.
limit() {
    controller=$1
    shift
    for parent in "/sys/fs/cgroup/$controller" /sys/fs/cgroup; do
        for old in "$parent"/docmill-*; do
            owner=${old##*docmill-}
            [ ! -d "$old" ] || kill -0 "${owner%%-*}" 2>/dev/null || rmdir "$old" 2>/dev/null || true
        done
        group=$parent/$LIKE_LAMBDA_GROUP
        mkdir "$group" 2>/dev/null || [ -d "$group" ] || continue
        for setting in "$@"; do
            [ -f "$group/${setting%%=*}" ] || continue
            printf '%s\n' "${setting#*=}" 2>/dev/null >"$group/${setting%%=*}" || continue
            case " $groups " in *" $group "*) ;; *) groups="$groups $group" ;; esac
            return
        done
        rmdir "$group" 2>/dev/null || true
    done
    echo "like-lambda: no control group can be made here: the kernel does not limit $controller" >&2
}
# Here /tmp lies in memory, unlike on Lambda, and counts.
memory_mib=$AWS_LAMBDA_FUNCTION_MEMORY_SIZE
[ -n "$scratch" ] || memory_mib=$((memory_mib + LIKE_LAMBDA_TMP))
limit memory memory.max=$((memory_mib << 20)) memory.limit_in_bytes=$((memory_mib << 20))
limit pids pids.max=$MOST_PROCESSES
limit cpu "cpu.max=$CPU_QUOTA $CPU_PERIOD" cpu.cfs_quota_us=$CPU_QUOTA
limit freezer cgroup.freeze=0 freezer.state=THAWED

# Built from the last argument to the first: the command, its user, and what it sees.
set -- prlimit --nofile=$MOST_FILES:$MOST_FILES setpriv --reuid "$USER_ID" --regid "$GROUP_ID" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
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
if [ -n "$scratch" ]; then
    set -- --bind "$scratch" "$scratch" "$@"
    directory=$scratch
    while directory=$(dirname "$directory") && [ "$directory" != / ]; do set -- --dir "$directory" "$@"; done
    set -- --setenv TMPDIR "$scratch" --tmpfs /tmp "$@"
else
    set -- --setenv TMPDIR /tmp --perms 1777 --size $((LIKE_LAMBDA_TMP << 20)) --tmpfs /tmp "$@"
fi
for home in /root /home; do
    set -- --tmpfs "$home" "$@"
done
set -- --remount-ro /dev --proc /proc "$@"
for device in null zero full random urandom; do
    set -- --dev-bind "/dev/$device" "/dev/$device" "$@"
done
for link in fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do
    case $link in *:*) set -- --symlink "/proc/self/${link#*:}" "/dev/${link%%:*}" "$@" ;; *) set -- --symlink /proc/self/fd /dev/fd "$@" ;; esac
done
set -- --ro-bind "${IMAGE_ROOT:-/}" / --tmpfs /dev "$@"
set -- --die-with-parent --new-session --unshare-pid --unshare-ipc --clearenv \
    --setenv PATH /usr/local/bin:/usr/bin:/bin --setenv LANG C.UTF-8 "$@"

# The filter reaches bubblewrap as a file that is open. It applies to the command, not to bubblewrap itself.
filter=/dev/null
if [ "${LIKE_LAMBDA_FILTER:-}" != none ]; then
    filter=$(mktemp)
    "$here/lambda-seccomp.py" >"$filter"
    set -- --seccomp 9 "$@"
fi

status=0
# shellcheck disable=SC2016 # The inner shell's own.
sh -c 'for group in $0; do echo $$ >"$group/cgroup.procs"; done; exec bwrap "$@"' "$groups" "$@" 9<"$filter" || status=$?
[ "$filter" = /dev/null ] || rm -f "$filter"
exit "$status"
