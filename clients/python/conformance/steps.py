"""The runner of the conformance suite for this client, synchronous or (with the argument `async`) asynchronous."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import logging
import sys
from typing import Any, Union

import docmill

Client = Union[docmill.Docmill, docmill.AsyncDocmill]
FAMILIES: list[tuple[type[Exception], str]] = [
    (docmill.InvalidRequestError, "invalid_request"),
    (docmill.AuthenticationError, "authentication"),
    (docmill.InsufficientCreditsError, "credits"),
    (docmill.PermissionDeniedError, "permission"),
    (docmill.NotFoundError, "not_found"),
    (docmill.ConflictError, "conflict"),
    (docmill.GoneError, "gone"),
    (docmill.ValidationError, "validation"),
    (docmill.RateLimitError, "rate_limit"),
    (docmill.ServerError, "server"),
    (docmill.ApiError, "api"),
    (docmill.JobFailedError, "job_failed"),
    (docmill.JobCanceledError, "job_canceled"),
    (docmill.WaitTimeoutError, "wait_timeout"),
    (docmill.NetworkError, "network"),
    (docmill.IntegrityError, "integrity"),
    (docmill.WebhookError, "webhook"),
    (docmill.UsageError, "usage"),
]
ATTRIBUTES = {
    "status": "status", "code": "code", "message": "message", "request_id": "requestId", "details": "details", "retry_after": "retryAfter",
    "required": "required", "available": "available", "retryable": "retryable", "job_id": "jobId",
}


def make_client(told: dict[str, Any], is_async: bool) -> Client:
    kind = docmill.AsyncDocmill if is_async else docmill.Docmill
    return kind(told["url"], told["key"], timeout=told.get("timeoutSeconds", 60), max_retries=told.get("maxRetries", 4))


def source_of(told: dict[str, Any]) -> docmill.Source:
    if "content" in told:
        return docmill.File(told["content"].encode(), told["name"])
    if "opened" in told:
        return open(told["opened"], "rb")
    return told.get("file") or told.get("address") or told


def conversion(client: Any, step: dict[str, Any]) -> Any:
    more = {"metadata": step.get("metadata"), "idempotency_key": step.get("idempotencyKey")}
    if "sources" in step:
        made = client.run(step["tool"], [source_of(each) for each in step["sources"]], step.get("options"), **more)
    elif "tool" in step:
        made = client.run(step["tool"], source_of(step["source"]), step.get("options"), **more)
    else:
        made = client.convert(source_of(step["source"]), step.get("options"), **more)
    for each in step.get("then", []):
        made = made.then(each["toolSlug"], each.get("options"))
    return made


def bound(step: dict[str, Any]) -> dict[str, float]:
    return {"seconds": step["seconds"]} if "seconds" in step else {}


def saving(step: dict[str, Any]) -> dict[str, Any]:
    return bound(step) | ({"overwrite": step["overwrite"]} if "overwrite" in step else {})


async def value(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


async def listed(iterator: Any, take: int | None) -> list[Any]:
    found: list[Any] = []
    if hasattr(iterator, "__aiter__"):
        async for each in iterator:
            found.append(each)
            if len(found) == take:
                break
        return found
    for each in iterator:
        found.append(each)
        if len(found) == take:
            break
    return found


def filters(step: dict[str, Any]) -> dict[str, Any]:
    names = {"toolSlug": "tool", "createdAfter": "created_after", "createdBefore": "created_before", "jobId": "job_id"}
    given = {names.get(name, name): each for name, each in step.get("filters", {}).items()}
    return given | ({"page_size": step["pageSize"]} if "pageSize" in step else {})


class Warned(logging.Handler):
    """Keeps what the client warns of, until it is asked."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())

    def take(self) -> dict[str, list[str]]:
        messages, self.messages = self.messages, []
        return {"warned": messages}


WARNED = Warned()


def saved(result: docmill.Saved) -> dict[str, Any]:
    files = {"files": [str(path) for path in result.files]} if result.files else {}
    return {"path": str(result.path), "bytes": result.bytes, "sha256": result.sha256} | files


class Steps:
    """A method for each word of the vocabulary."""

    def __init__(self, client: Any) -> None:
        self.client = client

    async def tool(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"tool": docmill.tool_for(source_of(step["source"]))}

    async def convert(self, step: dict[str, Any]) -> dict[str, Any]:
        result = await value(conversion(self.client, step).save(step["path"], **saving(step)))
        return {"job": result.job, "file": saved(result)} | WARNED.take()

    async def bytes(self, step: dict[str, Any]) -> dict[str, Any]:
        content = await value(conversion(self.client, step).bytes(**bound(step)))
        return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()} | WARNED.take()

    async def start(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"job": (await value(conversion(self.client, step).start())).data}

    async def wait(self, step: dict[str, Any]) -> dict[str, Any]:
        job = await value(self.client.jobs.get(step["id"]))
        return {"job": (await value(job.wait(step["seconds"]))).data}

    async def save(self, step: dict[str, Any]) -> dict[str, Any]:
        job = await value(self.client.jobs.get(step["id"]))
        return {"file": saved(await value(job.save(step["path"], **saving(step))))} | WARNED.take()

    async def batchCreate(self, step: dict[str, Any]) -> dict[str, Any]:
        items = [item | {"input": source_of(item["input"])} for item in step["items"]]
        then = [(each["toolSlug"], each.get("options")) for each in step.get("then", [])]
        made = self.client.batches.create(step["tool"], items, step.get("options"), then=then, archive=step.get("archive", False))
        return {"batch": (await value(made)).data}

    async def batchWait(self, step: dict[str, Any]) -> dict[str, Any]:
        seen: list[int] = []
        batch = await value(self.client.batches.get(step["id"]))
        await value(batch.wait(step["seconds"], lambda each: seen.append(each.counts["completed"])))
        return {"batch": batch.data, "progress": seen}

    async def batchResults(self, step: dict[str, Any]) -> dict[str, Any]:
        batch = await value(self.client.batches.get(step["id"]))
        return {"results": await listed(batch.results(step.get("pageSize")), step.get("take"))}

    async def batchArchive(self, step: dict[str, Any]) -> dict[str, Any]:
        batch = await value(self.client.batches.get(step["id"]))
        return {"files": [str(path) for path in await value(batch.save_archive(step["path"]))]}

    async def batchList(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"ids": [batch.id for batch in await listed(self.client.batches.list(**filters(step)), step.get("take"))]}

    async def batchDelete(self, step: dict[str, Any]) -> dict[str, Any]:
        await value((await value(self.client.batches.get(step["id"]))).delete())
        return {}

    async def job(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"job": (await value(self.client.jobs.get(step["id"]))).data}

    async def jobs(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"ids": [job.id for job in await listed(self.client.jobs.list(**filters(step)), step.get("take"))]}

    async def receipt(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"receipt": await value((await value(self.client.jobs.get(step["id"]))).receipt())}

    async def cancel(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"job": (await value((await value(self.client.jobs.get(step["id"]))).cancel())).data}

    async def delete(self, step: dict[str, Any]) -> dict[str, Any]:
        await value((await value(self.client.jobs.get(step["id"]))).delete())
        return {}

    async def upload(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"id": await value(self.client.uploads.create(step["file"]))}

    async def events(self, step: dict[str, Any]) -> dict[str, Any]:
        found = await listed(self.client.events.list(**filters(step)), step.get("take"))
        return {"events": [{"id": event["id"], "type": event["type"]} for event in found]}

    async def tools(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"slugs": [tool["slug"] for tool in await value(self.client.tools.list())]}

    async def schema(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"tool": await value(self.client.tools.schema(step["tool"]))}

    async def usage(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"usage": await value(self.client.usage())}

    async def webhookCreate(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"webhook": await value(self.client.webhooks.create(step["body"]))}

    async def webhookList(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"ids": [webhook["id"] for webhook in await value(self.client.webhooks.list())]}

    async def webhookRotate(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"webhook": await value(self.client.webhooks.rotate(step["id"]))}

    async def webhookDelete(self, step: dict[str, Any]) -> dict[str, Any]:
        await value(self.client.webhooks.delete(step["id"]))
        return {}

    async def webhookTest(self, step: dict[str, Any]) -> dict[str, Any]:
        return {"webhookTest": await value(self.client.webhooks.test(step["target"]))}

    async def verify(self, step: dict[str, Any]) -> dict[str, Any]:
        event = docmill.Webhook(step["secret"]).verify(step["body"].encode(), step["headers"])
        return {"type": event["type"], "data": event["data"]}

    async def request(self, step: dict[str, Any]) -> dict[str, Any]:
        response = await value(self.client.request(step["method"], step["path"], step.get("body"), headers=step.get("headers")))
        return {"status": response.status, "headers": dict(response.headers), "body": response.json(), "requestId": response.request_id}

    async def describe(self, step: dict[str, Any]) -> dict[str, Any]:
        transport = self.client._transport
        texts = [repr(self.client), str(self.client), f"{self.client}", repr(vars(self.client)), repr(vars(transport)), repr(transport.settings)]
        return {"texts": [*texts, repr(conversion(self.client, {"source": {"html": "<p>"}}))]}


def error_of(failure: Exception) -> dict[str, Any]:
    family = next((name for kind, name in FAMILIES if isinstance(failure, kind)), f"unexpected {type(failure).__name__}")
    given = {name: getattr(failure, attribute, None) for attribute, name in ATTRIBUTES.items()}
    return {"family": family, "text": str(failure)} | {name: each for name, each in given.items() if each is not None}


async def answer(step: dict[str, Any], client: Client) -> dict[str, Any]:
    try:
        return {"result": await getattr(Steps(client), step["do"])(step)}
    except docmill.DocmillError as failure:
        return {"error": error_of(failure)}


async def close(client: Client) -> None:
    if isinstance(client, docmill.AsyncDocmill):
        await client.aclose()
    else:
        client.close()


async def main(is_async: bool) -> None:
    # Whatever the libraries log must not contain a secret either.
    logging.basicConfig(level=logging.DEBUG)
    logging.getLogger("docmill").addHandler(WARNED)
    told, client = None, None
    for line in sys.stdin:
        step: dict[str, Any] = json.loads(line)
        if client is None or step["client"] != told:
            if client is not None:
                await close(client)
            told, client = step["client"], make_client(step["client"], is_async)
        print(json.dumps(await answer(step, client)), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] == ["async"]))
