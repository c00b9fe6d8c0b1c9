curl -sS --fail-with-body -L -o report.pdf "$DOCMILL_URL/v1/convert/office-to-pdf" \
  -H "Authorization: Bearer $DOCMILL_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/pdf' \
  -H 'Prefer: wait=25' \
  -d '{"sourceUrl": "https://files.example.com/report.docx"}'
