# A job that has not ended is canceled first.
docmill jobs list --tag order=2026-118 --limit 1000 --json | jq -r .job.id | xargs -r docmill jobs delete
