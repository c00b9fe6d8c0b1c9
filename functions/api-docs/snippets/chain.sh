call() {
  curl -sS --fail-with-body -H "Authorization: Bearer $DOCMILL_KEY" -H 'Content-Type: application/json' "$@"
}

# The next job may name this one at once: it waits for the result.
report=$(call "$DOCMILL_URL/v1/convert/html-to-pdf" -d '{"html": "<h1>Report</h1>"}' | jq -r .job.id)

call -o job.json "$DOCMILL_URL/v1/tools/merge-pdf/jobs" -d '{
  "sources": [
    {"markdown": "# Cover"},
    {"jobId": "'"$report"'"},
    {"html": "<h1>Terms</h1>"}
  ],
  "then": [
    {"toolSlug": "watermark-pdf", "options": {"text": "Draft"}},
    {"toolSlug": "compress-pdf"}
  ],
  "output": {"filename": "handout.pdf", "retentionSeconds": 3600}
}'
handout=$(jq -r .job.id job.json)

# Each request waits for up to 25 seconds.
until call -o job.json "$DOCMILL_URL/v1/jobs/$handout?wait=25" && jq -e .job.finishedAt job.json >/dev/null; do :; done

# 409 and the reason if the job has failed.
call -L -H 'Accept: application/pdf' -o handout.pdf "$DOCMILL_URL/v1/jobs/$handout/download"
