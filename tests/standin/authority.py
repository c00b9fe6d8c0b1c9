"""Authorities of the tests' own, as public ones are: a root, an issuer, a time-stamp authority, an OCSP responder and a list of revoked
certificates. OpenSSL behind HTTP."""

import base64
import subprocess
import tempfile
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SETTINGS = """\
[tsa]
default_tsa = own
[own]
serial = serial
signer_cert = tsa.pem
signer_key = tsa.key
certs = tsa.pem
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_chain = no
ess_cert_id_alg = sha256
[ca]
default_ca = issuing
[issuing]
database = issuing.txt
default_md = sha256
default_crl_days = 1
"""
PASSWORD = "password of the key"
CA = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
SIGNS = "keyUsage=critical,nonRepudiation\n"
STAMPS = "keyUsage=critical,digitalSignature\nextendedKeyUsage=critical,timeStamping\n"
RESPONDS = "extendedKeyUsage=OCSPSigning\nnoCheck=ignored\n"
# By name: subject, issuer, serial number.
CERTIFICATES = {
    "issuing": ("/CN=Issuing", "root", 1), "responder": ("/CN=Responder", "issuing", 2), "signer": ("/CN=Ada Lovelace", "issuing", 3),
    "tsa": ("/CN=Stamps", "issuing", 4), "kms": ("/CN=Kay of KMS", "issuing", 5),
}


class Authority:
    """Answers until the `with` block ends. No certificate is revoked."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.kept = tempfile.TemporaryDirectory()
        self.folder = Path(self.kept.name)
        (self.folder / "settings").write_text(SETTINGS)
        self._openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "root.key")
        usage = ("-addext", "keyUsage=critical,keyCertSign,cRLSign")
        self._openssl("req", "-x509", "-new", "-key", "root.key", "-out", "root.pem", "-subj", "/CN=Root", "-days", "9", *usage)
        for name, extensions in {
            "issuing": CA + self._asked("root"), "responder": RESPONDS, "signer": SIGNS + self._asked("issuing"),
            "tsa": f"{STAMPS}crlDistributionPoints=URI:{self.address('issuing.crl')}\n",
        }.items():
            self._openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", f"{name}.key")
            self._openssl("pkey", "-in", f"{name}.key", "-pubout", "-out", f"{name}.pub")
            self._issue(name, extensions)
        for issuer in ("root", "issuing"):
            self._openssl("x509", "-in", f"{issuer}.pem", "-outform", "DER", "-out", f"{issuer}.der")
            issued = [(subject, serial) for subject, by, serial in CERTIFICATES.values() if by == issuer]
            lines = [f"V\t360101000000Z\t\t{serial:02X}\tunknown\t{subject}\n" for subject, serial in issued]
            (self.folder / f"{issuer}.txt").write_text("".join(lines))
        self._openssl("ca", "-gencrl", "-config", "settings", "-cert", "issuing.pem", "-keyfile", "issuing.key", "-out", "crl.pem")
        self._openssl("crl", "-in", "crl.pem", "-outform", "DER", "-out", "issuing.crl")

    def __enter__(self) -> "Authority":
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.kept.cleanup()

    @property
    def root(self) -> Path:
        return self.folder / "root.pem"

    def address(self, path: str) -> str:
        """Where files of the folder are, and `tsa`, `ocsp-root` and `ocsp-issuing`."""
        return f"http://127.0.0.1:{self.port}/{path}"

    def key(self, has_issuer: bool) -> str:
        """A PKCS#12 file in base64, with the issuer's certificate or without it."""
        issuer = ["-certfile", "issuing.pem"] if has_issuer else []
        made = ["-inkey", "signer.key", "-in", "signer.pem", "-out", "signer.p12", "-passout", f"pass:{PASSWORD}"]
        self._openssl("pkcs12", "-export", *made, *issuer)
        return base64.b64encode((self.folder / "signer.p12").read_bytes()).decode()

    def certify(self, public: bytes) -> str:
        """Certificates for the public key (DER) of a key in KMS, and of their issuer."""
        (self.folder / "kms.der").write_bytes(public)
        self._openssl("pkey", "-pubin", "-inform", "DER", "-in", "kms.der", "-out", "kms.pub", "-pubout")
        self._issue("kms", SIGNS + self._asked("issuing"))
        return (self.folder / "kms.pem").read_text() + (self.folder / "issuing.pem").read_text()

    def _asked(self, issuer: str) -> str:
        return f"authorityInfoAccess=OCSP;URI:{self.address(f'ocsp-{issuer}')},caIssuers;URI:{self.address(f'{issuer}.der')}\n"

    def _issue(self, name: str, extensions: str) -> None:
        subject, issuer, serial = CERTIFICATES[name]
        (self.folder / "extensions").write_text(extensions)
        self._openssl(
            "x509", "-new", "-subj", subject, "-force_pubkey", f"{name}.pub", "-CA", f"{issuer}.pem", "-CAkey", f"{issuer}.key",
            "-set_serial", str(serial), "-days", "9", "-extfile", "extensions", "-out", f"{name}.pem",
        )

    def _openssl(self, *arguments: str) -> None:
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, (arguments, done.stderr)

    def answer(self, path: str, question: bytes) -> bytes | None:
        asked = f"asked-{uuid.uuid4()}"
        (self.folder / asked).write_bytes(question)
        if path == "tsa":
            self._openssl("ts", "-reply", "-config", "settings", "-queryfile", asked, "-out", f"{asked}.answer")
        elif path.startswith("ocsp-"):
            issuer = path.removeprefix("ocsp-")
            responder = "root" if issuer == "root" else "responder"
            self._openssl(
                "ocsp", "-index", f"{issuer}.txt", "-CA", f"{issuer}.pem", "-rsigner", f"{responder}.pem", "-rkey", f"{responder}.key",
                "-reqin", asked, "-respout", f"{asked}.answer", "-ndays", "1",
            )
        else:
            file = self.folder / path
            return file.read_bytes() if file.is_file() and path.endswith((".der", ".crl", ".pdf")) else None
        return (self.folder / f"{asked}.answer").read_bytes()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        authority = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._reply(b"")

            def do_POST(self) -> None:
                self._reply(self.rfile.read(int(self.headers["content-length"])))

            def _reply(self, question: bytes) -> None:
                answer = authority.answer(self.path.lstrip("/"), question)
                self.send_response(404 if answer is None else 200)
                self.send_header("content-length", str(len(answer or b"")))
                self.end_headers()
                self.wfile.write(answer or b"")

            def log_message(self, *_: object) -> None:
                pass

        return Handler
