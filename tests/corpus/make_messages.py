"""Writes `messages/`: small messages that stand for endless, deceiving and broken ones. Run it here to make them again."""

import base64
from pathlib import Path

HERE = Path(__file__).parent
HEAD = "From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: Trap\r\nDate: Sun, 22 Nov 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n"
PICTURE = base64.b64encode((HERE / "../fixtures/office/pixel.png").read_bytes()).decode()


def text(content: str, kind: str = "text/plain; charset=utf-8") -> str:
    return f"{HEAD}Content-Type: {kind}\r\n\r\n{content}\r\n"


def html(content: str) -> str:
    return text(content, "text/html; charset=utf-8")


def mixed(*parts: str, kind: str = "mixed") -> str:
    return f"{HEAD}Content-Type: multipart/{kind}; boundary=m\r\n\r\n" + "".join(f"--m\r\n{part}\r\n" for part in parts) + "--m--\r\n"


def nested_multiparts(depth: int) -> str:
    parts = "".join(f"--{level}\r\nContent-Type: multipart/mixed; boundary={level + 1}\r\n\r\n" for level in range(depth))
    return f"{HEAD}Content-Type: multipart/mixed; boundary=0\r\n\r\n{parts}--{depth}\r\n\r\nInnermost\r\n"


def nested_messages(depth: int) -> str:
    return text("Outermost") if depth == 0 else HEAD + "Content-Type: message/rfc822\r\n\r\n" + nested_messages(depth - 1)


MESSAGES = {
    "attachment-names.eml": mixed(
        "\r\nNames", *(f'Content-Disposition: attachment; filename="{name}"\r\n\r\nx' for name in ("../../etc/passwd", "a\u202efdp.exe", "<script>", "x" * 5000))
    ),
    "boundary-without-end.eml": f"{HEAD}Content-Type: multipart/mixed; boundary=m\r\n\r\n--m\r\n\r\nNo end",
    "broken.msg": (HERE / "../fixtures/email/meeting.msg").read_bytes()[:3000],
    "cid-loop.eml": mixed(
        "Content-Type: text/html\r\nContent-ID: <page>\r\n\r\n<p>Loop<img src='cid:page'><iframe src='cid:page'></iframe><style>p { background: url(cid:page) }</style>",
        kind="related",
    ),
    "cover-of-headers.eml": html(
        "<style>:host { position: fixed !important; top: -900px !important } header { display: none } .message { margin-top: -500px }</style>"
        "<div style='position: fixed; top: -400px; background: red; width: 2000px; height: 2000px; z-index: 99'>Covering</div><p style='margin-top: -900px'>Below"
    ),
    "deep-html.eml": html("<div>" * 50_000 + "Deep"),
    "deep-styles.eml": html("<style>" + "a{b:c(" * 50_000 + "</style><p>Styled"),
    "empty.eml": "",
    "encrypted.eml": text(PICTURE, "application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m"),
    "endless-css-url.eml": html("<style>" + "p{background:url(" * 20_000 + "</style><p>Styled"),
    "header-injection.eml": f"From: \"<script>document.body.append('by script')</script>\" <a@example.com>\r\nSubject: =?utf-8?q?a=0D=0ABcc:_x@example.com=00=1B</title><script>alert(1)</script>?=\r\n\r\nText",
    "many-parts.eml": mixed("\r\nMany", *("Content-Disposition: attachment\r\n\r\nx" for _ in range(2_000))),
    "many-recipients.eml": f"From: a@example.com\r\nSubject: Many\r\nTo: {', '.join(f'n{number}@example.com' for number in range(20_000))}\r\n\r\nText",
    "meeting.msg": (HERE / "../fixtures/email/meeting.msg").read_bytes(),
    "nested-messages.eml": nested_messages(400),
    "nested-multiparts.eml": nested_multiparts(3_000),
    "no-message.eml": "Just words: and more of them\r\n",
    "page.eml": "<!doctype html><p>A page",
    "refresh.eml": html("<meta http-equiv='refresh' content='0; url=http://127.0.0.1:9/'><base href='http://127.0.0.1:9/'><p>Stays"),
    "scripts.eml": html("<p>Before<script>while (true) {}</script><img src=x onerror='while (true) {}'><svg onload='while (true) {}'></svg><p>After"),
    "template-end.eml": html("</template></div><style></style></template><template shadowrootmode=open><p>Text"),
    "wrong-charset.eml": f"{HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n".encode() + "Grüße aus Köln".encode("latin-1"),
}

for name, content in MESSAGES.items():
    (HERE / "messages" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
