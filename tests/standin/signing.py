"""Whole jobs of `sign-pdf` in the stand-in for Lambda, with keys in files and in KMS, judged by the EU's validator and by our own."""

import json
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import urlsplit

from load.stack import Stack
from local.processes import wait_until
from local.settings import binaries
from standin.authority import PASSWORD, Authority
from standin.connections import Way
from standin.emulator import ROOT, Emulator
from standin.worker import Worker

SECRET = "linden"
PROGRAM = ROOT / "tests/standin/Signatures.java"


def sign(stack: Stack, rie: Path, log: Path) -> None:
    account, key = stack.make_account(20)
    # One of the ports from which workers of the stack may fetch.
    with Authority(stack.spare_port) as authority:
        kms, arn = key_of_kms(stack, authority)
        worker = Worker(stack, key, "pdf", {"SIGNING_KEYS": arn, "SIGNING_ACCOUNTS": account})
        endpoint = urlsplit(stack.endpoint)
        way = Way(endpoint.hostname, endpoint.port)
        with worker.replaced(), Emulator(rie, [str(binaries() / "worker")], worker.environment(way.port), [binaries()], log) as emulator:
            wait_until(emulator.is_listening, 60)
            signed = sign_each(worker, emulator, authority, kms)
            judge_by_ours(worker, emulator, authority, signed)
        judge_by_dss(authority, signed)


def key_of_kms(stack: Stack, authority: Authority) -> tuple[dict[str, str], str]:
    """A new key, as a request names it, and its ARN."""
    service = stack.client("kms")
    arn = service.create_key(KeySpec="ECC_NIST_P256", KeyUsage="SIGN_VERIFY")["KeyMetadata"]["Arn"]
    certificate = authority.certify(service.get_public_key(KeyId=arn)["PublicKey"])
    return {"keyArn": arn, "certificates": certificate}, arn


def sign_each(worker: Worker, emulator: Emulator, authority: Authority, kms: dict[str, str]) -> dict[str, tuple[Path, str]]:
    """The signed files by what they are, with their levels. Those that need a password say so."""
    plain, locked = authority.folder / "plain.pdf", authority.folder / "locked.pdf"
    shutil.copy(ROOT / "samples/tree-survey.pdf", plain)
    protection = json.dumps({"userPassword": SECRET})
    command = [binaries() / "worker", "convert", "--tool", "protect-pdf", "--options", protection, "--in", plain, "--out", locked]
    subprocess.run(command, check=True, capture_output=True)
    made = {}
    for level, whose, source in [
        ("B-B", "of a file", plain), ("B-T", "of a file", plain), ("B-LT", "of a file", plain), ("B-LT", "of a file", locked),
        ("B-B", "of KMS", plain), ("B-T", "of KMS", plain), ("B-LT", "of KMS", locked),
    ]:
        # At B-LT, the issuer's certificate is fetched.
        key = {"kms": kms} if whose == "of KMS" else {"pkcs12": authority.key(has_issuer=level != "B-LT"), "password": PASSWORD}
        options = {"key": key, "level": level} | ({} if level == "B-B" else {"timestampUrl": authority.address("tsa")})
        password = {"password": SECRET} if source == locked else {}
        body = {"input": {"sourceUrl": authority.address(source.name)} | password, "options": options}
        result = authority.folder / f"signed-{len(made)}.pdf"
        job, seconds = worker.convert(emulator, "sign-pdf", body, result)
        report = job["report"]
        signer = "Kay of KMS" if whose == "of KMS" else "Ada Lovelace"
        assert (report["level"], report["signer"], job.get("warnings", [])) == (level, signer, []), job
        assert result.read_bytes().startswith(source.read_bytes()), "the signed bytes are not those of the source"
        assert (b"/Encrypt " in result.read_bytes()) == (source == locked)
        name = f"{level}, key {whose}{', protected' if password else ''}"
        print(f"  seconds: {name}: {seconds:.2f}")
        made[name] = (result, level)
    return made


def judge_by_ours(worker: Worker, emulator: Emulator, authority: Authority, signed: dict[str, tuple[Path, str]]) -> None:
    for name, (file, level) in signed.items():
        password = {"password": SECRET} if "protected" in name else {}
        options = {"trustedRoots": authority.root.read_text(), "checkRevocation": level == "B-LT"}
        body = {"input": {"sourceUrl": authority.address(file.name)} | password, "options": options}
        result = authority.folder / "verdict.json"
        worker.convert(emulator, "verify-signatures", body, result)
        (found,) = json.loads(result.read_text())["signatures"]
        assert (found["indication"], found["level"]) == ("TOTAL-PASSED", level), (name, found)


def judge_by_dss(authority: Authority, signed: dict[str, tuple[Path, str]]) -> None:
    """The EU's validator. At B-LT it asks nobody: the file proves everything."""
    jars = subprocess.run([ROOT / "infra/setup.sh", "signature-validator"], check=True, capture_output=True, text=True).stdout.strip()
    arguments = [
        f"{'alone' if level == 'B-LT' else 'asking'}{f':{SECRET}' if 'protected' in name else ''}={file}" for name, (file, level) in signed.items()
    ]
    started = time.monotonic()
    done = subprocess.run(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*", PROGRAM, authority.root, *arguments], check=True, capture_output=True, text=True)
    said = dict(zip(signed, done.stdout.splitlines(), strict=True))
    expected = {name: f"PAdES-BASELINE-{level.removeprefix('B-')} TOTAL_PASSED" for name, (_, level) in signed.items()}
    assert said == expected, said
    print(f"  the EU's DSS passes all {len(said)} at their levels ({time.monotonic() - started:.1f} s)")
