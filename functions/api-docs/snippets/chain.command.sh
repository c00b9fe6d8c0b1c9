printf '%s\n' '# Cover' >cover.md
printf '%s\n' '<h1>Report</h1>' >report.html
printf '%s\n' '<h1>Terms</h1>' >terms.html

docmill merge cover.md report.html terms.html -o handout.pdf \
  --then 'watermark --text Draft' \
  --then compress
