curl -sS --fail-with-body -o answer.json \
  "$DOCMILL_URL/v1/convert/office-to-pdf" \
  -H "Authorization: Bearer $DOCMILL_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Prefer: wait=25' \
  -d '{"sourceUrl": "https://files.example.com/report.docx"}'

# Without a download, the job is still running or has failed: answer.json tells which.
# The link is signed: it needs no key.
jq -e .download answer.json >/dev/null || ! cat answer.json
curl -sS --fail -o "$(jq -r .download.filename answer.json)" "$(jq -r .download.url answer.json)"
