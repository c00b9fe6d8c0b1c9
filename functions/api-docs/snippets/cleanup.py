import json, os, urllib.error, urllib.parse, urllib.request


def call(method, path):
    request = urllib.request.Request(os.environ["DOCMILL_URL"] + path, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["DOCMILL_KEY"])
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")


query = {"metadata.order": "2026-118", "limit": 100}
while True:
    page = call("GET", "/v1/jobs?" + urllib.parse.urlencode(query))
    for job in page["jobs"]:
        try:
            call("POST", f"/v1/jobs/{job['id']}/cancel")
        except urllib.error.HTTPError as error:
            # 409 job_ended: too late to cancel it, but not to delete its documents.
            if error.code != 409:
                raise
        call("DELETE", f"/v1/jobs/{job['id']}")
    if "nextCursor" not in page:
        break
    query["cursor"] = page["nextCursor"]
