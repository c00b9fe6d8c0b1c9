"""What else the API has: tools, events, webhooks, templates, fonts."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import IO, Any, Optional, Union, cast

from docmill import models
from docmill._async.files import upload
from docmill._async.transport import AsyncTransport
from docmill._sources import File
from docmill._wire import LONGEST_WAIT, Request, query


class AsyncResource:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def _ask(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        response = await self._transport.send(Request(method, path, body, **more))
        return response.json()


class AsyncTools(AsyncResource):
    """The tools that your key may use."""

    async def list(self) -> list[models.Tool]:
        answer = await self._ask("GET", "/v1/tools")
        return cast("list[models.Tool]", answer["tools"])

    async def schema(self, tool: str) -> models.ToolSchema:
        """The JSON Schema of the tool's jobs, and the limits of your key."""
        answer = await self._ask("GET", f"/v1/tools/{tool}/schema")
        return cast(models.ToolSchema, answer["tool"])


class AsyncUploads(AsyncResource):
    """Files for jobs. Conversions upload files themselves; do it yourself to use one in several jobs."""

    async def create(
        self, source: Union[str, os.PathLike[str], bytes, IO[bytes], File], filename: Optional[str] = None
    ) -> str:
        """Uploads a file, and returns its id, for `{"uploadId": …}`. It works for an hour."""
        return await upload(self._transport, source, filename)


class AsyncEvents(AsyncResource):
    """What happened to your jobs and your account, for 30 days."""

    async def get(self, event_id: str) -> models.ListedEvent:
        answer = await self._ask("GET", f"/v1/events/{event_id}")
        return cast(models.ListedEvent, answer["event"])

    async def list(
        self,
        *,
        after: Optional[str] = None,
        before: Optional[str] = None,
        type: Optional[str] = None,
        job_id: Optional[str] = None,
        page_size: Optional[int] = None,
    ) -> AsyncIterator[models.ListedEvent]:
        """All events that match, oldest first."""
        filters = query(before=before, type=type, jobId=job_id, limit=page_size)
        while True:
            page = await self._page(filters, after, 0)
            for event in page["events"]:
                yield event
            after = page.get("nextCursor", after)
            if not page["hasMore"]:
                return

    async def follow(self, *, after: Optional[str] = None, type: Optional[str] = None) -> AsyncIterator[models.ListedEvent]:
        """Events as they happen, without end. Remember the id of the last one that you handled, to go on `after` it."""
        filters = query(type=type)
        while True:
            page = await self._page(filters, after, LONGEST_WAIT)
            for event in page["events"]:
                yield event
            after = page.get("nextCursor", after)

    async def _page(self, filters: dict[str, str], after: Optional[str], wait: int) -> models.EventsResponse:
        return cast(models.EventsResponse, await self._ask("GET", "/v1/events", query={**filters, **query(after=after)}, wait=wait))


class AsyncWebhooks(AsyncResource):
    """Endpoints to which events are sent. `docmill.Webhook` verifies what arrives."""

    async def create(self, webhook: models.WebhookRequest) -> models.Webhook:
        """Creates an endpoint. Its `secret` is shown only here. Not repeated after a lost answer: there may be an endpoint then."""
        answer = await self._ask("POST", "/v1/webhooks", webhook, repeatable=False)
        return cast(models.Webhook, answer["webhook"])

    async def list(self) -> list[models.Webhook]:
        answer = await self._ask("GET", "/v1/webhooks")
        return cast("list[models.Webhook]", answer["webhooks"])

    async def get(self, webhook_id: str) -> models.Webhook:
        answer = await self._ask("GET", f"/v1/webhooks/{webhook_id}")
        return cast(models.Webhook, answer["webhook"])

    async def update(self, webhook_id: str, change: models.WebhookChange) -> models.Webhook:
        answer = await self._ask("PATCH", f"/v1/webhooks/{webhook_id}", change)
        return cast(models.Webhook, answer["webhook"])

    async def delete(self, webhook_id: str) -> None:
        await self._ask("DELETE", f"/v1/webhooks/{webhook_id}")

    async def rotate(self, webhook_id: str, overlap_hours: Optional[int] = None) -> models.Webhook:
        """Gives the endpoint a new secret. Until the overlap ends, requests have the signatures of both."""
        body = {} if overlap_hours is None else {"overlapHours": overlap_hours}
        answer = await self._ask("POST", f"/v1/webhooks/{webhook_id}/rotate", body, repeatable=False)
        return cast(models.Webhook, answer["webhook"])

    async def deliveries(
        self, webhook_id: str, *, status: Optional[str] = None, page_size: Optional[int] = None
    ) -> AsyncIterator[models.Delivery]:
        """What was sent, newest first."""
        filters = query(status=status, limit=page_size)
        cursor: Optional[str] = None
        while True:
            path = f"/v1/webhooks/{webhook_id}/deliveries"
            page: models.DeliveriesResponse = await self._ask("GET", path, query={**filters, **query(cursor=cursor)})
            for delivery in page["deliveries"]:
                yield delivery
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    async def replay(self, webhook_id: str, which: models.ReplayRequest) -> models.ReplayResponse:
        """Sends events again."""
        answer = await self._ask("POST", f"/v1/webhooks/{webhook_id}/replay", which, repeatable=False)
        return cast(models.ReplayResponse, answer)

    async def test(self, url: str) -> models.WebhookTest:
        """A signed sample for trying out a receiver. Nothing is sent."""
        answer = await self._ask("POST", "/v1/webhooks/test", {"url": url})
        return cast(models.WebhookTest, answer["webhookTest"])


class AsyncTemplates(AsyncResource):
    """Templates that stay in your account, by name and version."""

    async def create(
        self, name: str, source: Union[str, os.PathLike[str], bytes], filename: Optional[str] = None
    ) -> models.Template:
        """Uploads a template, and adds it as the next version of this name."""
        upload_id = await upload(self._transport, source, filename)
        answer = await self._ask("POST", "/v1/templates", {"name": name, "uploadId": upload_id})
        return cast(models.Template, answer["template"])

    async def list(self) -> list[models.Template]:
        answer = await self._ask("GET", "/v1/templates")
        return cast("list[models.Template]", answer["templates"])

    async def get(self, name: str, version: Optional[int] = None) -> models.Template:
        """A version with the schema of its data and an example: the newest by default."""
        answer = await self._ask("GET", f"/v1/templates/{name}", query=query(version=version))
        return cast(models.Template, answer["template"])

    async def delete(self, name: str, version: Optional[int] = None) -> None:
        """Deletes a version, or all of them."""
        await self._ask("DELETE", f"/v1/templates/{name}", query=query(version=version))


class AsyncFonts(AsyncResource):
    """Fonts of your account, which all conversions use."""

    async def create(self, source: Union[str, os.PathLike[str], bytes], filename: Optional[str] = None) -> models.Font:
        """Uploads a font, and adds it to your account."""
        answer = await self._ask("POST", "/v1/fonts", {"uploadId": await upload(self._transport, source, filename)})
        return cast(models.Font, answer["font"])

    async def list(self) -> list[models.Font]:
        answer = await self._ask("GET", "/v1/fonts")
        return cast("list[models.Font]", answer["fonts"])

    async def delete(self, font_id: str) -> None:
        await self._ask("DELETE", f"/v1/fonts/{font_id}")
