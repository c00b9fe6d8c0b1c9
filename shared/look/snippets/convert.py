import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ["DOCMILL_URL"] + "/v1/convert/office-to-pdf",
    data=json.dumps(
        {"sourceUrl": "https://files.example.com/report.docx"}
    ).encode(),
    headers={
        "Content-Type": "application/json",
        "Accept": "application/pdf",
        "Prefer": "wait=25",
    },
)
# Only the API gets the key, not the link that it redirects to.
request.add_unredirected_header("Authorization", "Bearer " + os.environ["DOCMILL_KEY"])
try:
    with urllib.request.urlopen(request) as response:
        if response.status == 202:
            sys.exit("The job is still running: " + response.read().decode())
        with open("report.pdf", "wb") as file:
            file.write(response.read())
except urllib.error.HTTPError as error:
    sys.exit(error.read().decode())
