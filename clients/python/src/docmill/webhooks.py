"""Receives webhooks: verifies them with the library of Standard Webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union, cast

import standardwebhooks

from docmill import models
from docmill.errors import WebhookError


class Webhook:
    """Verifies requests to one endpoint, with the secret that the API showed when the endpoint was created."""

    def __init__(self, secret: str) -> None:
        self._verifier = standardwebhooks.Webhook(secret)

    def verify(self, body: Union[bytes, str], headers: Mapping[str, str]) -> models.Event:
        """The event, if `body` is, byte for byte, what was signed within the last five minutes.

        Skip events that you have seen before, by the header `webhook-id`.

        Raises:
            WebhookError: answer with 400, and do nothing else.
        """
        try:
            return cast(models.Event, self._verifier.verify(body, dict(headers)))
        # The library raises errors of Python for signatures and bodies that are not even well-formed.
        except (standardwebhooks.WebhookVerificationError, ValueError) as failure:
            raise WebhookError(f"This is not a webhook of this endpoint: {failure}") from None

    def __repr__(self) -> str:
        return "Webhook(…)"
