// The TypeScript SDK 2.x, once for each era of the protocol.

import {
  auth,
  Client,
  refreshAuthorization,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { App, LEGACY, MODERN, run } from "../shared/sdk.mjs";
import { main } from "../shared/support.mjs";

/** An app of this SDK also remembers whom it sent the person to, so that the code goes to nobody else. */
class BoundApp extends App {
  discoveryState() {
    return this.discovery;
  }
  saveDiscoveryState(discovery) {
    this.discovery = discovery;
  }
  invalidateCredentials(scope) {
    super.invalidateCredentials(scope);
    if (scope === "all" || scope === "discovery") this.discovery = undefined;
  }
}

const sdk = {
  name: "typescript-v2",
  App: BoundApp,
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  auth,
  refreshAuthorization,
  begin: ({ mode }) => ({ versionNegotiation: { mode } }),
  finish: (line, params) => line.finishAuth(params),
};

await main(() =>
  run(sdk, [
    { ...MODERN, name: "modern", mode: "auto" },
    { ...LEGACY, name: "legacy", mode: "legacy" },
  ]),
);
