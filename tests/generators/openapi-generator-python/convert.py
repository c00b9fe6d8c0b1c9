"""Converts a document with the client that openapi-generator makes: `convert.py SOURCE_URL TARGET`. Prints the job's id."""

import os
import sys
import urllib.request

from docmill_client import ApiClient, Configuration, JobRequest, JobsApi, JobStatus, OfficeToPdfJob, OfficeToPdfOptions


def main(source: str, target: str) -> None:
    configuration = Configuration(host=os.environ["DOCMILL_URL"], access_token=os.environ["DOCMILL_LIVE_KEY"])
    with ApiClient(configuration) as client:
        jobs = JobsApi(client)
        request = OfficeToPdfJob(
            tool_slug="office-to-pdf",
            source_url=source,
            options=OfficeToPdfOptions(page_range="1"),
            metadata={"client": "openapi-generator-python"},
        )
        job = jobs.create_job(JobRequest(request)).job
        while job.finished_at is None:
            job = jobs.get_job(job.id, wait=25).job
        if job.status != JobStatus.COMPLETED:
            sys.exit(f"Error: the job is {job.status.value}")
        download = jobs.get_job_download(job.id).download
    urllib.request.urlretrieve(download.url, target)
    print(job.id)


if __name__ == "__main__":
    main(*sys.argv[1:])
