status=$(curl -sS --fail-with-body -L -o report.pdf -w '%{http_code}' "$DOCMILL_URL/v1/convert/office-to-pdf" \
  -H "Authorization: Bearer $DOCMILL_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/pdf' \
  -H 'Prefer: wait=25' \
  -d '{"sourceUrl": "https://files.example.com/report.docx"}')

# 202: the job is still running. Any other status: the file says what is wrong.
[ "$status" = 200 ] || ! cat report.pdf
