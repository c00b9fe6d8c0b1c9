import json, os, urllib.request


def call(path, body=None):
    request = urllib.request.Request(os.environ["DOCMILL_URL"] + path)
    request.add_header("Authorization", "Bearer " + os.environ["DOCMILL_KEY"])
    request.add_header("Content-Type", "application/json")
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(request, data) as response:
        return json.load(response)


# The next job may name this one at once: it waits for the result.
report = call("/v1/convert/html-to-pdf", {"html": "<h1>Report</h1>"})["job"]

answer = call("/v1/tools/merge-pdf/jobs", {
    "sources": [
        {"markdown": "# Cover"},
        {"jobId": report["id"]},
        {"html": "<h1>Terms</h1>"},
    ],
    "then": [
        {"toolSlug": "watermark-pdf", "options": {"text": "Draft"}},
        {"toolSlug": "compress-pdf"},
    ],
    "output": {"filename": "handout.pdf", "retentionSeconds": 3600},
})

# Each request waits for up to 25 seconds.
while "finishedAt" not in answer["job"]:
    answer = call(f"/v1/jobs/{answer['job']['id']}?wait=25")
if "download" not in answer:
    raise SystemExit(answer["job"]["error"]["message"])

# The link is signed: it needs no key.
urllib.request.urlretrieve(answer["download"]["url"], "handout.pdf")
