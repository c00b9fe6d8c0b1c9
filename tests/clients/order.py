"""Makes one PDF of an order's documents, cancels a job, and deletes what Docmill stores of the order.

Usage: python3 order.py SOURCE_URL TARGET.pdf ORDER, with DOCMILL_URL and DOCMILL_KEY in the environment.
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

PDF = {"accept": "application/pdf", "prefer": "wait=25"}


def call(method: str, path: str, body: dict | None = None, headers: dict[str, str] | None = None) -> dict | bytes:
    """What the answer carries: JSON, or a document."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(os.environ["DOCMILL_URL"] + path, data, headers or {}, method=method)
    request.add_header("content-type", "application/json")
    # Only the API gets the key. The signed link that it redirects to needs none.
    request.add_unredirected_header("authorization", "Bearer " + os.environ["DOCMILL_KEY"])
    with urllib.request.urlopen(request, timeout=40) as response:
        content = response.read()
        is_json = response.headers.get_content_type() == "application/json"
        return json.loads(content) if content and is_json else content


def page(html: str, order: str, options: dict) -> str:
    """The id of a new job, which has not ended yet."""
    body = {"html": html, "options": options, "metadata": {"order": order}}
    return call("POST", "/v1/convert/html-to-pdf", body)["job"]["id"]


def jobs(order: str) -> list[dict]:
    """All jobs of an order, newest first."""
    found, query = [], {"metadata.order": order, "limit": 100}
    while True:
        answer = call("GET", "/v1/jobs?" + urllib.parse.urlencode(query))
        found += answer["jobs"]
        if "nextCursor" not in answer:
            return found
        query["cursor"] = answer["nextCursor"]


def main(source: str, target: str, order: str) -> None:
    # The next job may name this one at once: it waits for the result.
    invoice = page("<h1>Invoice</h1>", order, {})
    draft = page("<h1>Draft</h1>", order, {"waitFor": {"delayMs": 20_000}})
    print("draft", call("POST", f"/v1/jobs/{draft}/cancel")["job"]["status"])

    merge = {
        "sources": [{"markdown": "# Cover"}, {"jobId": invoice}, {"sourceUrl": source}],
        "then": [{"toolSlug": "watermark-pdf", "options": {"text": "COPY"}}, {"toolSlug": "compress-pdf"}],
        "metadata": {"order": order},
    }
    # The whole conversion in one request. If it takes longer than 25 seconds, the answer is the job: ask again.
    answer = call("POST", "/v1/tools/merge-pdf/jobs", merge, PDF)
    while not isinstance(answer, bytes):
        answer = call("GET", f"/v1/jobs/{answer['job']['id']}", headers=PDF)
    with open(target, "wb") as file:
        file.write(answer)
    print(f"{target}: {len(answer)} bytes")

    for job in jobs(order):
        call("DELETE", f"/v1/jobs/{job['id']}")
        print(f"{job['toolSlug']} deleted")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except urllib.error.HTTPError as error:
        sys.exit(f"Error: {error.read().decode()}")
