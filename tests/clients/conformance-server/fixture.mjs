// An MCP server of both eras for the conformance suite to examine, on the official SDK: sessions with streams that can
// be resumed for the old one, one request at a time for the new one.
//
//   node fixture.mjs [PORT]      prints {"url"} when it listens; without a port it takes a free one

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from "@modelcontextprotocol/node";
import { createMcpHandler, createRequestStateCodec, isLegacyRequest, McpServer } from "@modelcontextprotocol/server";
import { addAskingTools } from "./fixture-asking.mjs";
import { addShelf } from "./fixture-shelf.mjs";
import { addTools } from "./fixture-tools.mjs";

const INFO = { name: "examinee", version: "1.0.0" };
const states = createRequestStateCodec({ key: randomUUID() });

/** A server with everything on it; `changed` tells whoever listens that a list has changed. */
const serve = ({ legacy, changed }) => {
  const server = new McpServer(INFO, {
    capabilities: { logging: {}, resources: legacy ? { subscribe: true } : {} },
    instructions: "Everything that the conformance suite asks of a server.",
    requestState: { verify: states.verify },
    cacheHints: { "tools/list": { ttlMs: 60_000, cacheScope: "public" } },
  });
  addTools(server, changed);
  addAskingTools(server, states);
  addShelf(server);
  if (legacy) {
    // Nothing here ever changes by itself: to have accepted the subscription is all.
    for (const method of ["resources/subscribe", "resources/unsubscribe"]) {
      server.server.setRequestHandler(method, () => ({}));
    }
  }
  return server;
};

/** What was sent on the streams of a session, so that they can be resumed. */
class Events {
  sent = [];
  storeEvent(stream, message) {
    this.sent.push({ stream, message });
    return Promise.resolve(String(this.sent.length));
  }
  getStreamIdForEventId(id) {
    return Promise.resolve(this.sent[Number(id) - 1]?.stream);
  }
  async replayEventsAfter(id, { send }) {
    const { stream } = this.sent[Number(id) - 1];
    for (let at = Number(id); at < this.sent.length; at += 1) {
      const event = this.sent[at];
      // What primes a stream is no message.
      if (event.stream === stream && event.message.jsonrpc) await send(String(at + 1), event.message);
    }
    return stream;
  }
}

const sessions = new Map();

const openSession = async () => {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    eventStore: new Events(),
    retryInterval: 500,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
  });
  const server = serve({
    legacy: true,
    changed: { tools: () => server.sendToolListChanged(), prompts: () => server.sendPromptListChanged() },
  });
  await server.connect(transport);
  return transport;
};

const refuse = (res, status, code, message) => {
  res.writeHead(status, { "content-type": "application/json" });
  res.end(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }));
};

const inSession = async (req, res, body) => {
  const id = req.headers["mcp-session-id"];
  const transport = id === undefined ? await openSession() : sessions.get(id);
  if (!transport) return refuse(res, 404, -32001, "no such session");
  return transport.handleRequest(req, res, body);
};

const modern = createMcpHandler(
  () =>
    serve({
      legacy: false,
      changed: { tools: () => modern.notify.toolsChanged(), prompts: () => modern.notify.promptsChanged() },
    }),
  { legacy: "reject" },
);
const handleModern = toNodeHandler(modern);
const checks = [localhostHostValidation(), localhostOriginValidation()];

/** The body, which two handlers would read. */
const bodyOf = async (req) => {
  const parts = [];
  for await (const part of req) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    return undefined;
  }
};

const server = createServer(async (req, res) => {
  if (!checks.every((check) => check(req, res))) return;
  if (new URL(req.url, "http://localhost").pathname !== "/mcp") return void res.writeHead(404).end();
  if (req.method !== "POST") return inSession(req, res);
  const body = await bodyOf(req);
  if (body === undefined) return refuse(res, 400, -32700, "this is not JSON");
  const legacy = await isLegacyRequest(await toWebRequest(req, body), body);
  return legacy ? inSession(req, res, body) : handleModern(req, res, body);
});

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/mcp` }));
});
