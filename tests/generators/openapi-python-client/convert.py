"""Converts a document with the client that openapi-python-client makes: `convert.py SOURCE_URL TARGET`. Prints the job's id."""

import os
import sys
import urllib.request

from docmill_client import AuthenticatedClient
from docmill_client.api.jobs import create_job, get_job, get_job_download
from docmill_client.models import JobStatus, Labels, OfficeToPdfJob, OfficeToPdfJobToolSlug, OfficeToPdfOptions


def main(source: str, target: str) -> None:
    labels = Labels()
    labels["client"] = "openapi-python-client"
    request = OfficeToPdfJob(
        tool_slug=OfficeToPdfJobToolSlug.OFFICE_TO_PDF,
        source_url=source,
        options=OfficeToPdfOptions(page_range="1"),
        metadata=labels,
    )
    with AuthenticatedClient(os.environ["DOCMILL_URL"], os.environ["DOCMILL_LIVE_KEY"], timeout=60) as client:
        job = create_job.sync(client=client, body=request).job
        while not job.finished_at:
            job = get_job.sync(job.id, client=client, wait=25).job
        if job.status != JobStatus.COMPLETED:
            sys.exit(f"Error: the job is {job.status}")
        download = get_job_download.sync(job.id, client=client).download
    urllib.request.urlretrieve(download.url, target)
    print(job.id)


if __name__ == "__main__":
    main(*sys.argv[1:])
