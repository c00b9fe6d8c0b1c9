"""WeasyPrint kept in memory: converts the HTML file in each JSON line. Runs in the peers' environment."""

import json
import sys

import weasyprint

for line in sys.stdin:
    job = json.loads(line)
    try:
        weasyprint.HTML(filename=job["in"]).write_pdf(job["out"])
        answer = {}
    except Exception as error:  # Whatever it is, it is the answer to this job.
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
