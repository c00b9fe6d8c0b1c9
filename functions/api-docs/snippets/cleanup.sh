call() {
  curl -sS --fail-with-body -H "Authorization: Bearer $DOCMILL_KEY" "$@"
}

list="$DOCMILL_URL/v1/jobs?metadata.order=2026-118&limit=100"
page=$list
while [ -n "$page" ]; do
  call -o page.json "$page"
  for id in $(jq -r '.jobs[].id' page.json); do
    # A job that has not ended is canceled first.
    call -X DELETE "$DOCMILL_URL/v1/jobs/$id"
  done
  page=$(jq -r --arg list "$list" '(.nextCursor // empty) | $list + "&cursor=" + @uri' page.json)
done
