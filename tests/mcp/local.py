"""What an assistant does with files on its machine: `docmill mcp` over standard input and output, by the official client.

Usage: python local.py DOCMILL SOURCE FOLDER, with DOCMILL_URL and DOCMILL_KEY in the environment.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters


async def main(docmill: str, source: str, folder: str) -> None:
    settings = {name: os.environ[name] for name in ("DOCMILL_URL", "DOCMILL_KEY", "HOME")}
    async with Client(StdioServerParameters(command=docmill, args=["mcp", "--folder", folder, "--folder", os.path.dirname(source)], env=settings)) as client:
        protocol, tools = client.protocol_version, [tool.name for tool in (await client.list_tools()).tools]
        arguments = {"tool": "office-to-pdf", "input": {"path": source}, "saveTo": folder, "waitSeconds": 25}
        saved = await client.call_tool("run_tool", arguments)
        again = await client.call_tool("get_job", {"jobId": json.loads(saved.content[0].text)["job"]["id"], "saveTo": folder})
        outside = await client.call_tool("run_tool", {**arguments, "input": {"path": "/etc/hostname"}})
        missing = await client.call_tool("run_tool", {**arguments, "input": {"path": source + ".missing"}})
    print(json.dumps({
        "protocol": protocol,
        "tools": tools,
        "saved": json.loads(saved.content[0].text)["files"][0]["savedTo"],
        "again": again.content[0].text,
        "outside": outside.content[0].text,
        "missing": missing.content[0].text,
    }))


asyncio.run(main(*sys.argv[1:]))
