import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ["DOCMILL_URL"] + "/v1/convert/office-to-pdf",
    data=json.dumps(
        {"sourceUrl": "https://files.example.com/report.docx"}
    ).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["DOCMILL_KEY"],
        "Content-Type": "application/json",
        "Prefer": "wait=25",
    },
)
try:
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())

# Without a download, the job is still running or has failed.
if "download" not in answer:
    sys.exit(json.dumps(answer["job"]))
# The link is signed: it needs no key.
urllib.request.urlretrieve(answer["download"]["url"], answer["download"]["filename"])
