"""Adds what JSON Schema can't express to `make test-contract`: our own formats, and which tool fits which body."""

import schemathesis
from hypothesis import strategies as st

# Only the worker refuses these: the requests themselves are valid, and nothing is fetched.
URLS = ["http://127.0.0.1:9/a.docx", "https://localhost/page.html?x=1", "http://[::1]:9/", "http://10.0.0.1/a"]

schemathesis.openapi.format("source-url", st.sampled_from(URLS))
schemathesis.openapi.format("page-range", st.sampled_from(["1", "1-3,5", "2-4"]))
schemathesis.openapi.format("filename", st.sampled_from(["report.pdf", "März.pdf", "a b.docx"]))
schemathesis.openapi.format("inline-html", st.sampled_from(["<h1>Hello</h1>", "<p>é", "text"]))


@schemathesis.hook
def map_body(context, body):
    """A random `toolSlug` would end most requests before their other properties are checked."""
    if isinstance(body, dict) and isinstance(body.get("toolSlug"), str) and body["toolSlug"]:
        given = body["input"] if isinstance(body.get("input"), dict) else {}
        office = "sourceUrl" in body or "sourceUrl" in given
        return {**body, "toolSlug": "office-to-pdf" if office else "html-to-pdf"}
    return body
