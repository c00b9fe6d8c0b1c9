#!/bin/sh
# Makes one PDF of an order's documents, cancels a job, and deletes what Docmill stores of the order. With curl and jq.
#
# Usage: order.sh SOURCE_URL TARGET.pdf ORDER, with DOCMILL_URL and DOCMILL_KEY in the environment.
set -eu

# call PATH [CURL OPTION]…
call() {
    path=$1
    shift
    # The key comes by standard input: the arguments of a process can be read by others.
    printf 'header = "Authorization: Bearer %s"\n' "$DOCMILL_KEY" \
        | curl --silent --show-error --fail-with-body --max-time 40 --config - \
            --header 'Content-Type: application/json' "$@" "$DOCMILL_URL$path"
}

# page HTML OPTIONS: prints the id of a new job, which has not ended yet.
page() {
    body=$(jq -n --arg html "$1" --argjson options "$2" --arg order "$order" \
        '{html: $html, options: $options, metadata: {order: $order}}')
    call /v1/convert/html-to-pdf --data-raw "$body" | jq -r .job.id
}

# pdf_of PATH [CURL OPTION]…: writes the result of a job to $target. Asks again while the job takes longer than 25 seconds.
pdf_of() {
    type=$(call "$@" --location --output "$target" --write-out '%{content_type}' \
        --header 'Accept: application/pdf' --header 'Prefer: wait=25') || { cat "$target" >&2; exit 1; }
    [ "$type" = application/pdf ] || pdf_of "/v1/jobs/$(jq -r .job.id "$target")"
}

[ $# = 3 ] || { echo "usage: order.sh SOURCE_URL TARGET.pdf ORDER" >&2; exit 1; }
source=$1 target=$2 order=$3

# The next job may name this one at once: it waits for the result.
invoice=$(page '<h1>Invoice</h1>' '{}')
draft=$(page '<h1>Draft</h1>' '{"waitFor": {"delayMs": 20000}}')
echo "draft $(call "/v1/jobs/$draft/cancel" --request POST | jq -r .job.status)"

# The whole conversion in one request.
pdf_of /v1/tools/merge-pdf/jobs --data-raw "$(jq -n --arg invoice "$invoice" --arg source "$source" --arg order "$order" '{
    sources: [{markdown: "# Cover"}, {jobId: $invoice}, {sourceUrl: $source}],
    then: [{toolSlug: "watermark-pdf", options: {text: "COPY"}}, {toolSlug: "compress-pdf"}],
    metadata: {order: $order}
}')"
echo "$target: $(wc -c <"$target") bytes"

# The order's jobs, newest first, page by page.
cursor=
while :; do
    jobs=$(call /v1/jobs --get --data-urlencode "metadata.order=$order" --data limit=100 \
        ${cursor:+--data-urlencode "cursor=$cursor"})
    for id in $(echo "$jobs" | jq -r '.jobs[].id'); do
        call "/v1/jobs/$id" --request DELETE
        echo "$(echo "$jobs" | jq -r --arg id "$id" '.jobs[] | select(.id == $id).toolSlug') deleted"
    done
    cursor=$(echo "$jobs" | jq -r '.nextCursor // empty')
    [ -n "$cursor" ] || break
done
