call() {
  curl -sS --fail-with-body -H "Authorization: Bearer $DOCMILL_KEY" -H 'Content-Type: application/json' "$@"
}

list="$DOCMILL_URL/v1/jobs?metadata.order=2026-118&limit=100"
page=$list
while [ -n "$page" ]; do
  call -o page.json "$page"
  for id in $(jq -r '.jobs[].id' page.json); do
    # 409 job_ended: too late to cancel it, but not to delete its documents.
    call -o canceled.json -X POST "$DOCMILL_URL/v1/jobs/$id/cancel" || grep -q '"job_ended"' canceled.json
    call -X DELETE "$DOCMILL_URL/v1/jobs/$id"
  done
  page=$(jq -r --arg list "$list" '(.nextCursor // empty) | $list + "&cursor=" + @uri' page.json)
done
