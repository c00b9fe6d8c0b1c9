"""docxtpl kept in memory: fills the template beside the one in each JSON line, which has docxtpl's own tags."""

import json
import sys
from pathlib import Path

from docxtpl import DocxTemplate

for line in sys.stdin:
    job = json.loads(line)
    try:
        source = Path(job["in"])
        template = DocxTemplate(source.with_suffix(".jinja.docx"))
        template.render(json.loads(source.with_suffix(".json").read_text()))
        template.save(job["out"])
        answer = {}
    except Exception as error:  # Whatever it is, it is the answer to this job.
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
