"""Vectors for the verification of webhooks: signed now, since old ones are to be refused."""

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import Any


def new_secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def sign(secret: str, id: str, timestamp: int, body: str) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def headers(secret: str, timestamp: int, body: str, before: str = "") -> dict[str, str]:
    id = "evt_00000000000000000000000000000001"
    signature = (before + " " + sign(secret, id, timestamp, body)).strip()
    return {"webhook-id": id, "webhook-timestamp": str(timestamp), "webhook-signature": signature, "content-type": "application/json"}


def vectors() -> dict[str, Any]:
    secret, other, now = new_secret(), new_secret(), int(time.time())
    body = json.dumps({"type": "job.completed", "timestamp": "2026-11-25T00:00:00.000Z", "data": {"note": "größer"}}, ensure_ascii=False)
    return {
        "secret": secret,
        "otherSecret": other,
        "body": body,
        "forgedBody": body.replace("größer", "kleiner"),
        "headers": headers(secret, now, body),
        # While a secret is rotated, and with the service's own signature, there are several.
        "rotatedHeaders": headers(secret, now, body, before=sign(other, "x", now, body) + " v1a,AAAA"),
        "oldHeaders": headers(secret, now - 3600, body),
        "noHeaders": {"content-type": "application/json"},
    }
