curl -sSL --fail-with-body -o report.pdf -w '%{http_code}\n' \
  "$DOCMILL_URL/v1/convert/office-to-pdf" \
  -H "Authorization: Bearer $DOCMILL_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/pdf' \
  -H 'Prefer: wait=25' \
  -d '{"sourceUrl": "https://files.example.com/report.docx"}'
# 200: report.pdf is the result. 202: the job is still running.
# Any other status: report.pdf says what is wrong.
