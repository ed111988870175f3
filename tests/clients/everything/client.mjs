// The public server-everything, which keeps sessions, asks its clients things and tells them of changes, behind the
// gateway: the TypeScript SDKs, the Inspector's command line and the Python SDK use all of it that they can.

import * as v2 from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as types from "@modelcontextprotocol/sdk/types.js";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { python } from "../shared/example.mjs";
import { EMAIL, PASSWORD, startGateway } from "../shared/gateway.mjs";
import { main, step } from "../shared/support.mjs";
import { useInspector } from "./inspector.mjs";
import { use } from "./use.mjs";

const require = createRequire(import.meta.url);
const SERVER = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");

const V1 = {
  name: "the SDK 1.x",
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  finish: (line, params) => line.finishAuth(params.get("code")),
  // It knows requests and notifications by their schemas.
  answer: (mcp, method, handler) => {
    const schema = {
      "elicitation/create": types.ElicitRequestSchema,
      "sampling/createMessage": types.CreateMessageRequestSchema,
      "roots/list": types.ListRootsRequestSchema,
    }[method];
    mcp.setRequestHandler(schema, handler);
  },
  listen: (mcp, handler) => mcp.setNotificationHandler(types.ResourceUpdatedNotificationSchema, handler),
  call: (mcp, params, options) => mcp.callTool(params, undefined, options),
};
const V2 = {
  name: "the SDK 2.x",
  Client: v2.Client,
  StreamableHTTPClientTransport: v2.StreamableHTTPClientTransport,
  UnauthorizedError: v2.UnauthorizedError,
  finish: (line, params) => line.finishAuth(params),
  answer: (mcp, method, handler) => mcp.setRequestHandler(method, handler),
  listen: (mcp, handler) => mcp.setNotificationHandler("notifications/resources/updated", handler),
  call: (mcp, params, options) => mcp.callTool(params, options),
};

await main(async () => {
  const gateway = await startGateway({
    name: "everything",
    program: () => [process.execPath, SERVER, "streamableHttp"],
    env: (port) => ({ PORT: String(port) }),
  });
  await use(V1, gateway);
  await use(V2, gateway, { versionNegotiation: { mode: "legacy" } });
  await use(V2, gateway, { versionNegotiation: { mode: "auto" } });
  await useInspector(gateway, {
    node: join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), "bin/node"),
    inspector: join(dirname(require.resolve("@modelcontextprotocol/inspector/package.json")), "clients/launcher"),
  });
  await step("the Python SDK comes to its end", async () => {
    const code = await python({ ENDPOINT: gateway.endpoint, EMAIL, PASSWORD });
    if (code !== 0) throw new Error(`it ended with ${code}`);
  });
});
