from docmill import Docmill

docmill = Docmill()

# A job that has not ended is canceled first.
for job in docmill.jobs.list(metadata={"order": "2026-118"}):
    job.delete()
