// Receives webhooks and verifies them with the library of Standard Webhooks.
//
// Prints its port, reads the endpoint's secret from standard input, and prints the id and the type of each event it accepts.
// Ends with its standard input: the test's child process is a launcher of Node, which leaves Node behind when it is killed.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const server = createServer(async (request: IncomingMessage, response) => {
  try {
    const headers = request.headers as Record<string, string>;
    const event = (await webhook).verify(await text(request), headers) as { type: string };
    console.log(headers["webhook-id"], event.type);
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
const input = createInterface({ input: process.stdin });
input.once("close", () => process.exit());
const webhook = once(input, "line").then(([secret]) => new Webhook(secret as string));
