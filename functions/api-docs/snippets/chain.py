from docmill import Docmill

docmill = Docmill()

# The next job may name this one at once: it waits for the result.
report = docmill.convert({"html": "<h1>Report</h1>"}).start()

sources = [{"markdown": "# Cover"}, {"jobId": report.id}, {"html": "<h1>Terms</h1>"}]
(
    docmill.run("merge-pdf", sources, output={"retentionSeconds": 3600})
    .then("watermark-pdf", {"text": "Draft"})
    .then("compress-pdf")
    .save("handout.pdf")
)
