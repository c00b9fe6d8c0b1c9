"""Subjects and bodies of messages in every charset, and with malformed words, beside Thunderbird's and Python's readers.

`python -m bench.mail_readers --worker PATH [--jsmime FILE]`. The file is `dist/jsmime.js` of Thunderbird's parser (`mozilla-comm/jsmime`),
which Node reads. A text counts if it is found; white space does not matter.
"""

import argparse
import base64
import email
import email.policy
import json
import quopri
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from .lines import Failed
from .worker import Worker

LATIN, CENTRAL, BALTIC, TURKISH = "Grüße aus Köln", "Žluťoučký kůň", "Ačiū už šį laišką", "İyi günler, ışık"
CYRILLIC, GREEK, HEBREW, ARABIC = "Привет, Москва", "Καλημέρα Αθήνα", "שלום", "مرحبا"
JAPANESE, KOREAN, SIMPLIFIED, TRADITIONAL, THAI = "請求書の件です", "안녕하세요", "会议文件", "會議文件", "สวัสดี"
# By the name that a message gives, Python's name of the charset and a text in it.
CHARSETS: dict[str, tuple[str, str]] = {
    "us-ascii": ("ascii", "plain words"), "utf-8": ("utf-8", SIMPLIFIED), "utf8": ("utf-8", LATIN), "utf-16": ("utf-16", GREEK), "utf-7": ("utf-7", LATIN),
    "iso-8859-1": ("latin-1", LATIN), "latin1": ("latin-1", LATIN), "iso-8859-2": ("iso8859-2", CENTRAL), "iso-8859-3": ("iso8859-3", "Ĝis revido"),
    "iso-8859-4": ("iso8859-4", "Ačiū už"), "iso-8859-5": ("iso8859-5", CYRILLIC), "iso-8859-6": ("iso8859-6", ARABIC), "iso-8859-7": ("iso8859-7", GREEK),
    "iso-8859-8": ("iso8859-8", HEBREW), "iso-8859-8-i": ("iso8859-8", HEBREW), "iso-8859-9": ("iso8859-9", TURKISH), "iso-8859-10": ("iso8859-10", "Þetta er ð"),
    "iso-8859-13": ("iso8859-13", BALTIC), "iso-8859-14": ("iso8859-14", "Ŵyn ŷd"), "iso-8859-15": ("iso8859-15", "5 € für Œuvre"), "iso-8859-16": ("iso8859-16", "Bună țară"),
    "windows-1250": ("cp1250", CENTRAL), "windows-1251": ("cp1251", CYRILLIC), "windows-1252": ("cp1252", "“Zitat” – 5 €"), "cp1252": ("cp1252", "“Zitat” – 5 €"),
    "windows-1253": ("cp1253", GREEK), "windows-1254": ("cp1254", TURKISH), "windows-1255": ("cp1255", HEBREW), "windows-1256": ("cp1256", ARABIC),
    "windows-1257": ("cp1257", BALTIC), "windows-1258": ("cp1258", "Đây là thư"), "koi8-r": ("koi8-r", CYRILLIC), "koi8-u": ("koi8-u", "Привіт, Київ"),
    "macintosh": ("mac-roman", LATIN), "ibm866": ("cp866", CYRILLIC), "big5": ("big5", TRADITIONAL), "gb2312": ("gb2312", SIMPLIFIED), "gbk": ("gbk", SIMPLIFIED),
    "gb18030": ("gb18030", SIMPLIFIED), "euc-jp": ("euc-jp", JAPANESE), "shift_jis": ("shift-jis", JAPANESE), "x-sjis": ("shift-jis", JAPANESE),
    "windows-31j": ("cp932", "①請求書"), "iso-2022-jp": ("iso2022-jp", JAPANESE), "euc-kr": ("euc-kr", KOREAN), "ks_c_5601-1987": ("cp949", KOREAN),
    "tis-620": ("tis-620", THAI), "windows-874": ("cp874", THAI),
}
# Subjects that break RFC 2047 as real programs do, and what a person wants to read.
MALFORMED: dict[str, tuple[bytes, str]] = {
    "characters split over words": (b"=?utf-8?B?5Lya6K6u5pY=?=\r\n =?utf-8?B?h+S7tg==?=", SIMPLIFIED),
    "base64 without padding": (b"=?utf-8?B?R3LDvMOfZSBhdXMgS8O2bG4?=", LATIN),
    "spaces in a word": (b"=?iso-8859-1?Q?Gr=FC=DFe aus K=F6ln?=", LATIN),
    "words without a space between": (b"=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_?==?utf-8?Q?K=C3=B6ln?=", LATIN),
    "a word within a text": (b"Re:=?utf-8?Q?Gr=C3=BC=C3=9Fe?= aus", "Grüße aus"),
    "lower-case letters": (b"=?UTF-8?q?Gr=c3=bc=c3=9fe_aus_K=c3=b6ln?=", LATIN),
    "quotes around a word": (b'"=?utf-8?Q?Gr=C3=BC=C3=9Fe?=" aus', "Grüße"),
    "a language": (b"=?utf-8*de?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=", LATIN),
    "UTF-8 without a word": ("Grüße aus Köln".encode(), LATIN),
    "windows-1252 without a word": ("Grüße aus Köln".encode("cp1252"), LATIN),
    "line breaks in a word": (b"=?utf-8?Q?Gr=C3=BC=C3=9Fe_\r\n aus_K=C3=B6ln?=", LATIN),
    "no end": (b"=?utf-8?Q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln", LATIN),
    "longer than 75 letters": (b"=?utf-8?B?" + base64.b64encode((LATIN * 9).encode()) + b"?=", LATIN),
    "an unknown charset": (b"=?x-unknown?Q?plain_words?=", "plain words"),
    "a wrong escape": (b"=?utf-8?Q?100=_plain_words?=", "plain words"),
    "equals signs that mean themselves": (b"a=b plain words", "a=b plain words"),
    "GB2312 with letters of GBK": (b"=?gb2312?B?" + base64.b64encode("會議".encode("gbk")) + b"?=", "會議"),
    "tabs for spaces": (b"=?utf-8?Q?Gr=C3=BC=C3=9Fe_?=\r\n\t=?utf-8?Q?aus_K=C3=B6ln?=", LATIN),
}
READ_BY_NODE = """
const fs = require('fs'), jsmime = require(process.argv[1]), out = {};
for (const name of fs.readdirSync(process.argv[2])) {
  let subject = '', body = '';
  const emitter = {
    startPart(number, headers) { if (number === '') try { subject = headers.get('subject'); } catch { subject = ''; } },
    deliverPartData(number, data) { body += data; },
  };
  try {
    const parser = new jsmime.MimeParser(emitter, { bodyformat: 'decode', strformat: 'unicode', charset: 'windows-1252' });
    parser.deliverData(fs.readFileSync(process.argv[2] + '/' + name).toString('binary'));
    parser.deliverEOF();
  } catch {}
  out[name] = [String(subject ?? ''), body];
}
console.log(JSON.stringify(out));
"""


@dataclass(frozen=True)
class Case:
    group: str
    name: str
    message: bytes
    subject: str | None
    body: str | None


def cases() -> Iterator[Case]:
    for charset, (codec, text) in CHARSETS.items():
        packed = text.encode(codec)
        word = f"=?{charset}?B?{base64.b64encode(packed).decode()}?="
        yield Case("words, B", charset, message(word.encode(), b"plain"), text, None)
        quoted = "".join(f"={byte:02X}" for byte in packed)
        yield Case("words, Q", charset, message(f"=?{charset}?Q?{quoted}?=".encode(), b"plain"), text, None)
        yield Case("body, base64", charset, message(b"plain", base64.encodebytes(packed), charset, "base64"), None, text)
        yield Case("body, quoted-printable", charset, message(b"plain", quopri.encodestring(packed), charset, "quoted-printable"), None, text)
        if codec not in ("utf-16", "utf-7"):
            yield Case("body, 8bit", charset, message(b"plain", packed, charset, "8bit"), None, text)
    for name, (subject, text) in MALFORMED.items():
        yield Case("malformed words", name, message(subject, b"plain"), text, None)


def message(subject: bytes, body: bytes, charset: str = "us-ascii", encoding: str = "7bit") -> bytes:
    head = f"MIME-Version: 1.0\r\nContent-Type: text/plain; charset={charset}\r\nContent-Transfer-Encoding: {encoding}\r\n\r\n"
    return b"From: a@example.com\r\nTo: b@example.com\r\nSubject: " + subject + b"\r\n" + head.encode() + body + b"\r\n"


def has(text: str, wanted: str) -> bool:
    return re.sub(r"\s", "", wanted) in re.sub(r"[\s\u200e\u200f\u202a-\u202e]", "", text)


def by_python(case: Case) -> str:
    read = email.message_from_bytes(case.message, policy=email.policy.default)
    try:
        return str(read["subject"]) if case.subject else read.get_content()
    except (LookupError, UnicodeError, ValueError):
        return ""


def by_thunderbird(jsmime: Path, folder: Path) -> dict[str, list[str]]:
    made = subprocess.run(["node", "-e", READ_BY_NODE, jsmime.resolve(), folder], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


def by_docmill(worker: Worker, source: Path, out: Path) -> str:
    try:
        worker.convert("extract-document", source, out, {"format": "markdown"})
    except Failed:
        return ""
    return out.read_text()


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.mail_readers")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--jsmime", type=Path)
    arguments = parser.parse_args()
    right: dict[str, dict[str, int]] = {}
    with TemporaryDirectory(prefix="docmill-mail-") as scratch:
        folder = Path(scratch, "messages")
        folder.mkdir()
        tried = list(cases())
        for number, case in enumerate(tried):
            Path(folder, f"{number:03}.eml").write_bytes(case.message)
        theirs = by_thunderbird(arguments.jsmime, folder) if arguments.jsmime else {}
        worker = Worker(arguments.worker, Path(scratch))
        for number, case in enumerate(tried):
            path, wanted = folder / f"{number:03}.eml", case.subject or case.body or ""
            texts = {"Docmill": by_docmill(worker, path, Path(scratch, "out.md")), "Python": by_python(case)}
            if read := theirs.get(path.name):
                texts["Thunderbird"] = read[0] if case.subject else read[1]
            group = right.setdefault(case.group, {"of": 0})
            group["of"] += 1
            for reader, text in texts.items():
                group[reader] = group.get(reader, 0) + has(text, wanted)
                if reader == "Docmill" and not has(text, wanted):
                    print(f"{case.group}, {case.name}: {text[:80]!r} for {wanted!r}")
    for group, counts in right.items():
        print(f"| {group} | " + " | ".join(f"{name} {count}" for name, count in counts.items()) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
