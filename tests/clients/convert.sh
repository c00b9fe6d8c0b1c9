#!/bin/sh
# Converts a document with Docmill, with curl, jq and openssl.
#
# Usage: convert.sh SOURCE TARGET.pdf [IDEMPOTENCY_KEY], with DOCMILL_URL and DOCMILL_KEY in the environment.
# SOURCE is a public URL, or a file, which is uploaded.
set -eu

fail() {
    echo "Error: $*" >&2
    exit 1
}

# call PATH [CURL OPTION]…: leaves the body in $answer and prints the status. curl itself repeats what may go away (429,
# 500, 503, a broken connection), as the same request with the same Idempotency-Key, and heeds Retry-After.
call() {
    path=$1
    shift
    # The key comes by standard input: the arguments of a process can be read by others.
    status=$(printf 'header = "Authorization: Bearer %s"\n' "$DOCMILL_KEY" \
        | curl --silent --show-error --max-time 40 --retry 4 --retry-connrefused --config - \
            --output "$answer" --write-out '%{http_code}' "$@" "$DOCMILL_URL$path") || fail "no answer"
    case $status in
        2*) echo "$status" ;;
        # A failed job knows better than its answer what went wrong.
        *) fail "$(jq -r '"\(.job.error // .error | "\(.code): \(.message)") (request \(.requestId))"' "$answer")" ;;
    esac
}

# post PATH BODY [CURL OPTION]…
post() {
    path=$1 body=$2
    shift 2
    call "$path" --header 'Content-Type: application/json' --data-raw "$body" "$@"
}

# source_of SOURCE: prints the body of a job for it. A file is announced, put to the link of the answer, and named by its id.
source_of() {
    if [ ! -f "$1" ]; then
        jq -n --arg url "$1" '{sourceUrl: $url}'
        return
    fi
    announced=$(jq -n --arg name "${1##*/}" --argjson bytes "$(wc -c <"$1")" \
        '{contentType: "application/octet-stream", bytes: $bytes, filename: $name}')
    post /v1/uploads "$announced" >"$scratch/status"
    jq -r '.upload.headers | to_entries[] | "\(.key): \(.value)"' "$answer" >"$scratch/headers"
    # The link is signed: it needs no key, and must not get one. The headers are part of the signature. A link works once: after
    # a repetition, 412 means that the first try has arrived.
    stored=$(curl --silent --show-error --max-time 300 --retry 4 --output "$scratch/status" --write-out '%{http_code}' \
        --upload-file "$1" --header "@$scratch/headers" "$(jq -r .upload.url "$answer")") || fail "no upload"
    case $stored in 200 | 412) ;; *) fail "no upload: $stored" ;; esac
    jq '{uploadId: .upload.id}' "$answer"
}

# wait_for_download JOB_ID: leaves the ready answer in $answer.
wait_for_download() {
    pause=1 waited=0
    while [ "$waited" -lt 180 ]; do
        status=$(call "/v1/jobs/$1/download") || exit 1
        [ "$status" = 202 ] || return 0
        sleep "$pause"
        waited=$((waited + pause))
        pause=$((pause < 10 ? pause + 1 : pause))
    done
    fail "job $1 has not ended in time"
}

# verify SECRET ID TIMESTAMP SIGNATURES BODY_FILE: whether the file is, byte for byte, what was signed lately. (A server
# should compare in constant time, which a shell can't.)
verify() {
    age=$(($(date +%s) - $3))
    [ "${age#-}" -le 300 ] || return 1
    key=$(printf %s "${1#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
    expected=v1,$({ printf '%s.%s.' "$2" "$3"; cat "$5"; } \
        | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
    for given in $4; do
        [ "$given" != "$expected" ] || return 0
    done
    return 1
}

# Gets a signed sample and shows that the receiver's check accepts it, and nothing else.
try_receiver() {
    post /v1/webhooks/test '{"url": "https://hooks.example.com/docmill"}' >"$scratch/status"
    sample() { jq -j ".webhookTest.sample$1" "$answer"; }
    secret=$(sample .secret) id=$(sample '.headers["webhook-id"]') time=$(sample '.headers["webhook-timestamp"]')
    signatures=$(sample '.headers["webhook-signature"]')
    sample .body >"$scratch/body"
    verify "$secret" "$id" "$time" "$signatures" "$scratch/body" || fail "the sample was refused"
    echo >>"$scratch/body"
    ! verify "$secret" "$id" "$time" "$signatures" "$scratch/body" || fail "a forged event was accepted"
}

[ $# -ge 2 ] || fail "usage: convert.sh SOURCE TARGET.pdf [IDEMPOTENCY_KEY]"
source=$1 target=$2
idempotency_key=${3:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
answer=$scratch/answer.json

body=$(source_of "$source")
# The request waits for the job's end, for 25 seconds at most. Most jobs need no more.
post '/v1/convert/office-to-pdf?wait=25' "$body" --header "Idempotency-Key: $idempotency_key" >"$scratch/status"
jq -e .download "$answer" >"$scratch/download" || wait_for_download "$(jq -r .job.id "$answer")"
# The link is signed: it needs no key, and must not get one.
curl --silent --show-error --fail --max-time 30 --output "$target" "$(jq -r .download.url "$answer")" || fail "no download"
echo "$(jq -r .download.sha256 "$answer")  $target" | sha256sum --check --quiet || fail "the download is damaged"
echo "$target: $(wc -c <"$target") bytes"
try_receiver
echo "webhook verified"
