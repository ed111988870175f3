// The TypeScript SDK 1.x.

import { auth, refreshAuthorization, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { App, LEGACY, run } from "../shared/sdk.mjs";
import { main } from "../shared/support.mjs";

const sdk = {
  name: "typescript-v1",
  App,
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  auth,
  refreshAuthorization,
  begin: () => ({}),
  finish: (line, params) => line.finishAuth(params.get("code")),
};

await main(() => run(sdk, [{ ...LEGACY, name: "" }]));
