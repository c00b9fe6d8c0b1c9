"""What an assistant does with Docmill, by the official client of the Model Context Protocol. Prints what it saw as JSON.

Usage: python journey.py (auto|legacy) SOURCE_URL TARGET.pdf, with DOCMILL_URL and DOCMILL_KEY in the environment.
"""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from typing import Any, Literal

import httpx2
import mcp.types as types
from mcp import Client, MCPError
from mcp.client import ClaimContext, ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["DOCMILL_URL"] + "/mcp"
KEY = os.environ["DOCMILL_KEY"]
TASKS = "io.modelcontextprotocol/tasks"
ENDED = {"completed", "failed", "canceled"}
# A page that is not done soon.
SLOW = {"tool": "html-to-pdf", "input": {"html": "<p>slow"}, "options": {"waitFor": {"delayMs": 20_000}}, "waitSeconds": 0}


class CreatedTask(types.Result):
    result_type: Literal["task"] = "task"
    task_id: str
    status: str
    poll_interval_ms: int | None = None


class TaskParams(types.RequestParams):
    task_id: str


class TaskState(types.Result):
    status: str
    result: dict[str, Any] | None = None


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams
    name_param = "taskId"


class CancelTask(types.Request[TaskParams, Literal["tasks/cancel"]]):
    method: Literal["tasks/cancel"] = "tasks/cancel"
    params: TaskParams
    name_param = "taskId"


class Tasks(ClientExtension):
    """The extension, as a client implements it: it asks for the task until it has ended."""

    identifier = TASKS

    def __init__(self, cancels: bool = False) -> None:
        self.cancels = cancels
        self.seen: list[str] = []

    def claims(self):
        return [ResultClaim(result_type="task", model=CreatedTask, resolve=self._finish)]

    async def _finish(self, task: CreatedTask, context: ClaimContext) -> types.CallToolResult:
        self.seen.append(task.status)
        params = TaskParams(task_id=task.task_id)
        if self.cancels:
            await context.session.send_request(CancelTask(params=params), types.EmptyResult)
        while True:
            state = await context.session.send_request(GetTask(params=params), TaskState)
            if state.status != "working":
                self.seen.append(state.status)
                return types.CallToolResult.model_validate(state.result or {"content": [], "isError": True})
            await asyncio.sleep((task.poll_interval_ms or 1000) / 1000)


@asynccontextmanager
async def connected(mode: str, key: str = KEY, extensions=(), hooks=None):
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60, event_hooks=hooks) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=mode, extensions=extensions) as client:
            yield client


async def download(result: types.CallToolResult) -> bytes:
    link = next(block for block in result.content if isinstance(block, types.ResourceLink))
    async with httpx2.AsyncClient() as http:
        answer = await http.get(str(link.uri))
        answer.raise_for_status()
        assert link.size == len(answer.content), "the link tells its file's size"
        return answer.content


def told(result: types.CallToolResult) -> dict[str, Any]:
    """What a result says first. There is no structured copy of it."""
    assert not result.is_error and result.structured_content is None, result
    return json.loads(result.content[0].text)


def error(result: types.CallToolResult) -> dict[str, Any]:
    """What the model reads of an error."""
    assert result.is_error, result
    return json.loads(result.content[0].text)


async def until_ended(client: Client, job: str) -> types.CallToolResult:
    while True:
        result = await client.call_tool("get_job", {"jobId": job, "waitSeconds": 25})
        if result.is_error or told(result)["job"]["status"] in ENDED:
            return result


async def convert(client: Client, source: str, target: str) -> dict[str, Any]:
    """Starts a job, asks until it has ended, and downloads its result."""
    arguments = {"tool": "office-to-pdf", "input": {"sourceUrl": source}, "waitSeconds": 0}
    started = told(await client.call_tool("run_tool", arguments))
    ended = await until_ended(client, started["job"]["id"])
    with open(target, "wb") as file:
        file.write(await download(ended))
    return {"started": started["job"]["status"], "ended": told(ended)["job"]["status"]}


async def upload(client: Client) -> tuple[str, str]:
    """Uploads a page, and converts it in one call. Returns the job's id and the text of its result."""
    page = b"<p>From an upload"
    arguments = {"bytes": len(page), "contentType": "text/html"}
    link = told(await client.call_tool("create_upload", arguments))["upload"]
    async with httpx2.AsyncClient() as http:
        (await http.request(link["method"], link["url"], content=page, headers=link["headers"])).raise_for_status()
    arguments = {"tool": "html-to-pdf", "input": {"uploadId": link["id"]}, "options": {"renderMode": "basic"}}
    result = await client.call_tool("run_tool", {**arguments, "then": [{"toolSlug": "pdf-to-text"}], "waitSeconds": 25})
    # A short text is in the answer itself.
    return told(result)["job"]["id"], result.content[1].text


async def without_calls(client: Client, job: str) -> dict[str, Any]:
    """Resources and prompts."""
    try:
        await client.read_resource("docmill://jobs/unknown/files/0")
        missing = None
    except MCPError as problem:
        missing = problem.error.message
    prompt = await client.get_prompt("read-document", {"document": "https://files.example/a.pdf"})
    return {
        "resources": [str(each.uri) for each in (await client.list_resources()).resources],
        "templates": [each.uri_template for each in (await client.list_resource_templates()).resource_templates],
        "tool": json.loads((await client.read_resource("docmill://tools/merge-pdf")).contents[0].text)["tool"],
        "result": (await client.read_resource(f"docmill://jobs/{job}/files/0")).contents[0].text,
        "missing": missing,
        "prompts": [each.name for each in (await client.list_prompts()).prompts],
        "prompt": prompt.messages[0].content.text,
    }


async def refusals(client: Client, source: str) -> dict[str, Any]:
    run = lambda **arguments: client.call_tool("run_tool", {"waitSeconds": 25, **arguments})
    canceled = told(await client.call_tool("run_tool", SLOW))["job"]["id"]
    canceled = told(await client.call_tool("cancel_job", {"jobId": canceled}))["job"]
    try:
        await client.call_tool("no_such_tool", {})
        unknown = None
    except MCPError as problem:
        unknown = problem.error.code
    return {
        "failed job": error(await run(tool="office-to-pdf", input={"sourceUrl": source + ".missing"})),
        "unknown document tool": error(await run(tool="no-such-tool", input={"html": "x"})),
        "wrong option": error(await run(tool="html-to-pdf", input={"html": "x"}, options={"pageSize": "A99"})),
        "canceled": canceled,
        "unknown tool": unknown,
    }


async def as_tasks() -> dict[str, list[str]]:
    """Long calls as tasks: one to its end, one canceled."""
    done, canceled = Tasks(), Tasks(cancels=True)
    quick = {"tool": "html-to-pdf", "input": {"html": "<p>A task"}, "options": {"renderMode": "basic"}, "waitSeconds": 0}
    async with connected("auto", extensions=[done]) as client:
        assert (await download(await client.call_tool("run_tool", quick))).startswith(b"%PDF")
    async with connected("auto", extensions=[canceled]) as client:
        await client.call_tool("run_tool", SLOW)
    return {"done": done.seen, "canceled": canceled.seen}


def causes(problem: BaseException) -> list[str]:
    """The exceptions in a group of them."""
    if isinstance(problem, BaseExceptionGroup):
        return [cause for each in problem.exceptions for cause in causes(each)]
    return [repr(problem)]


async def with_wrong_key(mode: str) -> dict[str, Any]:
    """The statuses of the answers, which the client does not tell, and what it raises."""
    statuses: list[int] = []

    async def note(answer: httpx2.Response) -> None:
        statuses.append(answer.status_code)

    try:
        async with connected(mode, key="dm_live_wrong", hooks={"response": [note]}) as client:
            await client.list_tools()
        raised = []
    except Exception as problem:
        raised = causes(problem)
    return {"statuses": statuses, "raised": raised}


async def main(mode: str, source: str, target: str) -> None:
    async with connected(mode) as client:
        tools = (await client.list_tools()).tools
        documents = told(await client.call_tool("list_tools", {}))["tools"]
        described = told(await client.call_tool("describe_tool", {"tool": "office-to-pdf"}))
        job, uploaded = await upload(client)
        seen = {
            "protocol": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools],
            "document tools": [tool["slug"] for tool in documents],
            "described": described["tool"],
            "converted": await convert(client, source, target),
            "uploaded": uploaded,
            "without calls": await without_calls(client, job),
            "refused": await refusals(client, source),
        }
    seen["tasks"] = await as_tasks() if mode == "auto" else None
    seen["wrong key"] = await with_wrong_key(mode)
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
