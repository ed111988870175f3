// What an app on one of the TypeScript SDKs goes through, from the bare MCP URL to the end of its connections, twice:
// once the person signs in with e-mail and password in a browser without JavaScript, once a token is pasted. In the
// middle, processes that share one refresh token use it at once.
//
// The SDK is handed in, since it is installed in its client's own folder: its exports, and beside them `begin(era)`,
// the options of a client of that era, and `finish(line, params)`, which hands the redirect back to the SDK.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import {
  assert,
  assertMeetings,
  Callback,
  demo,
  freshToken,
  pasteToken,
  portero,
  restart,
  revokeToken,
  signIn,
  statusOf,
  step,
  TOOLS,
  within,
} from "./support.mjs";

const PROCESSES = 3;

/** An app with its memory: what the SDK asks of a host, and what went over the wire. */
export class App {
  constructor(sdk, era, name, redirectUrl) {
    this.sdk = sdk;
    this.era = era;
    this.name = name;
    this.redirectUrl = redirectUrl;
    this.wire = [];
    this.redirects = [];
  }

  // ------------------------------------------------ OAuthClientProvider
  get clientMetadata() {
    return {
      client_name: this.name,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }
  state() {
    this.sentState = crypto.randomUUID();
    return this.sentState;
  }
  clientInformation() {
    return this.client;
  }
  saveClientInformation(client) {
    this.client = client;
  }
  tokens() {
    return this.saved;
  }
  saveTokens(tokens) {
    this.saved = tokens;
  }
  saveCodeVerifier(verifier) {
    this.verifier = verifier;
  }
  codeVerifier() {
    return this.verifier;
  }
  redirectToAuthorization(url) {
    this.redirects.push(url);
  }
  invalidateCredentials(scope) {
    if (scope === "all" || scope === "client") this.client = undefined;
    if (scope === "all" || scope === "tokens") this.saved = undefined;
  }

  // ------------------------------------------------ transport and client
  fetch = async (url, init) => {
    const response = await fetch(url, init);
    this.wire.push({
      method: init?.method ?? "GET",
      path: new URL(url).pathname,
      status: response.status,
      challenge: response.headers.get("www-authenticate"),
      body: typeof init?.body === "string" ? init.body : init?.body?.toString(),
    });
    return response;
  };
  /** A connection that has shaken hands, and its transport. */
  async open() {
    const mcp = new this.sdk.Client({ name: this.name, version: "1.0.0" }, this.sdk.begin(this.era));
    const errors = [];
    mcp.onerror = (error) => errors.push(error);
    const line = new this.sdk.StreamableHTTPClientTransport(new URL(demo().endpoint), {
      authProvider: this,
      fetch: this.fetch,
    });
    this.line = line;
    await mcp.connect(line);
    return { mcp, line, errors };
  }
  /** The same, kept as the app's own. */
  async connect() {
    ({ mcp: this.mcp, errors: this.errors } = await this.open());
  }
  /** As if the hour of the access token were over. */
  expire() {
    this.saved = { ...this.saved, access_token: `${this.saved.access_token.slice(0, -1)}!` };
  }
  /** What was sent since the last look. */
  look() {
    return this.wire.splice(0);
  }
  /** The same without discovery. */
  lookPastDiscovery() {
    return this.look().filter(({ path }) => !path.includes(".well-known"));
  }
}

const meetings = async (mcp) => {
  const result = await mcp.callTool({ name: "list_meetings", arguments: { limit: 3 } });
  assert.equal(result.isError, false);
  assert.equal(result.content.length, 1);
  assert.equal(result.content[0].type, "text");
  return JSON.parse(result.content[0].text);
};

const working = async (mcp) => assertMeetings(await meetings(mcp));

const connectFromUrl = async (app, said) => {
  const { origin, pathname: path } = new URL(demo().endpoint);

  await step(`${said}: the bare URL leads to an authorization URL`, async () => {
    await assert.rejects(app.connect(), app.sdk.UnauthorizedError);
    assert.equal(app.redirects.length, 1);
    const sent = app.look();
    assert.deepEqual([sent[0].method, sent[0].path, sent[0].status], ["POST", path, 401]);
    assert.equal(JSON.parse(sent[0].body).method, app.era.greeting);
    assert.match(sent[0].challenge, /^Bearer resource_metadata="[^"]+", scope="mico:read"$/);
    const metadata = /resource_metadata="([^"]+)"/.exec(sent[0].challenge)[1];
    assert.deepEqual(
      sent.slice(1).map(({ method, path, status }) => [method, path, status]),
      [
        ["GET", new URL(metadata).pathname, 200],
        ["GET", `/.well-known/oauth-authorization-server${path}`, 200],
        ["POST", `${path}/register`, 201],
      ],
    );
  });

  await step(`${said}: the app is registered without a secret`, () => {
    assert.ok(app.client.client_id);
    assert.equal(app.client.client_secret, undefined);
    assert.equal(app.client.token_endpoint_auth_method, "none");
    assert.deepEqual(app.client.redirect_uris, [app.redirectUrl]);
    assert.equal(app.client.issuer, demo().endpoint);
  });

  await step(`${said}: the authorization URL asks for the right things`, () => {
    const url = app.redirects[0];
    assert.equal(url.origin + url.pathname, `${origin}${path}/authorize`);
    const params = Object.fromEntries(url.searchParams);
    assert.ok(params.code_challenge);
    delete params.code_challenge;
    assert.deepEqual(params, {
      response_type: "code",
      client_id: app.client.client_id,
      code_challenge_method: "S256",
      redirect_uri: app.redirectUrl,
      state: app.sentState,
      scope: "mico:read",
      resource: demo().endpoint,
    });
  });
};

const redeem = async (app, callback, said) => {
  await step(`${said}: the redirect brings code, state and issuer`, async () => {
    app.params = await callback.received();
    assert.deepEqual([...app.params.keys()].sort(), ["code", "iss", "state"]);
    assert.equal(app.params.get("state"), app.sentState);
    assert.equal(app.params.get("iss"), demo().endpoint);
  });

  await step(`${said}: the code becomes tokens`, async () => {
    await app.sdk.finish(app.line, app.params);
    const { access_token, refresh_token, token_type, expires_in, scope } = app.saved;
    assert.match(access_token, /^mico_oat_[0-9A-Za-z]{49}$/);
    assert.match(refresh_token, /^mico_ort_[0-9A-Za-z]{49}$/);
    assert.deepEqual([token_type, expires_in, scope], ["Bearer", 3600, "mico:read"]);
  });
};

const callTools = async (app, said) => {
  await step(`${said}: the handshake names server and revision`, async () => {
    app.look();
    await app.connect();
    const { mcp, line } = app;
    assert.equal(mcp.getServerVersion().name, "mico-mcp");
    assert.equal(app.era.negotiated(mcp, line), app.era.revision);
    assert.deepEqual(Object.keys(mcp.getServerCapabilities()), ["tools"]);
    assert.match(mcp.getInstructions(), /reuniones/);
    assert.equal(line.sessionId, undefined);
    await within(2000, () =>
      assert.deepEqual(
        app.wire.map(({ method, status }) => `${method} ${status}`),
        app.era.handshake,
      ),
    );
    assert.deepEqual(app.errors, []);
  });

  await step(`${said}: tools/list has the eight tools`, async () => {
    const { tools } = await app.mcp.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS);
    for (const tool of tools) {
      assert.equal(tool.annotations.readOnlyHint, true, tool.name);
      assert.equal(tool.inputSchema.type, "object", tool.name);
    }
  });

  await step(`${said}: list_meetings gives meetings, newest first`, () => working(app.mcp));

  await step(`${said}: a tool that is not there is an error of the protocol`, async () => {
    await assert.rejects(app.mcp.callTool({ name: "delete_meeting", arguments: {} }), { code: -32602 });
  });
};

const refresh = async (app, said) => {
  const before = app.saved;

  await step(`${said}: a spent access token is refreshed behind a call`, async () => {
    app.expire();
    app.look();
    await working(app.mcp);
    const sent = app.lookPastDiscovery();
    assert.deepEqual(
      sent.map(({ status }) => status),
      [401, 200, 200],
    );
    assert.match(sent[0].challenge, /error="invalid_token"/);
    const asked = new URLSearchParams(sent[1].body);
    assert.equal(asked.get("grant_type"), "refresh_token");
    assert.equal(asked.get("refresh_token"), before.refresh_token);
    assert.notEqual(app.saved.access_token, before.access_token);
    assert.notEqual(app.saved.refresh_token, before.refresh_token);
    assert.equal(app.saved.scope, "mico:read");
    assert.equal(app.redirects.length, app.asked);
  });

  await step(`${said}: the old access token lives on for its hour`, async () => {
    assert.equal(await statusOf(before.access_token), 200);
  });

  await step(`${said}: the old refresh token leads to the same successor`, async () => {
    const { endpoint } = demo();
    const again = await app.sdk.refreshAuthorization(endpoint, {
      metadata: {
        issuer: endpoint,
        authorization_endpoint: `${endpoint}/authorize`,
        token_endpoint: `${endpoint}/token`,
        response_types_supported: ["code"],
      },
      clientInformation: app.client,
      refreshToken: before.refresh_token,
      resource: new URL(endpoint),
    });
    assert.equal(again.refresh_token, app.saved.refresh_token);
    assert.equal(await statusOf(again.access_token), 200);
    assert.equal(await statusOf(app.saved.access_token), 200);
  });

  await step(`${said}: six calls that all find the token spent all succeed`, async () => {
    const from = app.saved.refresh_token;
    const lines = [];
    for (let i = 0; i < 6; i += 1) lines.push((await app.open()).mcp);
    app.expire();
    app.look();
    await Promise.all(lines.map(working));
    const sent = app.look();
    const spent = sent.filter(({ status }) => status === 401).length;
    const exchanged = sent.filter(({ path }) => path.endsWith("/token"));
    assert.ok(spent >= 2 && exchanged.length === spent, `${spent} were refused, ${exchanged.length} refreshed`);
    assert.ok(exchanged.every(({ status }) => status === 200));
    assert.notEqual(app.saved.refresh_token, from);
    await Promise.all(lines.map((line) => line.close()));
    app.expire();
    await working(app.mcp);
    assert.equal(app.redirects.length, app.asked);
  });
};

/** The program of a process that remembers what another one does: told to, it refreshes and works. */
const sharer = async (sdk, eras) => {
  const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const { era, saved, client, redirectUrl } = JSON.parse((await lines.next()).value);
  const app = new sdk.App(
    sdk,
    eras.find(({ name }) => name === era),
    "Compañera",
    redirectUrl,
  );
  Object.assign(app, { saved, client });
  app.expire();
  console.log("ready");
  await lines.next();
  await app.connect();
  for (let i = 0; i < 2; i += 1) await working(app.mcp);
  const wire = app.wire.filter(({ method }) => method === "POST").map(({ path, status }) => [path, status]);
  console.log(JSON.stringify({ wire, saved: app.saved, asked: app.redirects.length }));
  process.exit(0);
};

const share = async (app, said) => {
  const { saved, client, redirectUrl } = app;
  let reports;

  await step(`${said}: ${PROCESSES} processes that share a refresh token refresh at once, and all work`, async () => {
    const memory = JSON.stringify({ era: app.era.name, saved, client, redirectUrl });
    const others = Array.from({ length: PROCESSES }, () => {
      const process_ = spawn(process.execPath, [process.argv[1], "sharer"], { stdio: ["pipe", "pipe", "inherit"] });
      const lines = createInterface({ input: process_.stdout })[Symbol.asyncIterator]();
      process_.stdin.write(`${memory}\n`);
      return { process_, said: async () => (await lines.next()).value, ended: once(process_, "exit") };
    });
    for (const other of others) assert.equal(await other.said(), "ready");
    for (const { process_ } of others) process_.stdin.write("go\n");
    reports = await Promise.all(others.map(async (other) => JSON.parse((await other.said()) ?? "null")));
    for (const { ended } of others) assert.deepEqual(await ended, [0, null]);
    const path = new URL(demo().endpoint).pathname;
    for (const { wire, asked } of reports) {
      assert.deepEqual(wire.slice(0, 3), [
        [path, 401],
        [`${path}/token`, 200],
        [path, 200],
      ]);
      assert.equal(wire.filter(([, status]) => status === 401).length, 1);
      assert.equal(asked, 0);
    }
  });

  await step(`${said}: they were led to one live refresh token`, async () => {
    const tokens = new Set(reports.map((report) => report.saved.refresh_token));
    assert.equal(tokens.size, 1);
    assert.ok(!tokens.has(saved.refresh_token));
    for (const report of reports) assert.equal(await statusOf(report.saved.access_token), 200);
  });

  await step(`${said}: the first process keeps working and refreshing with what it had`, async () => {
    const theirs = reports[0].saved.refresh_token;
    app.expire();
    await working(app.mcp);
    assert.equal(app.saved.refresh_token, theirs);
    app.expire();
    await working(app.mcp);
    assert.notEqual(app.saved.refresh_token, theirs);
    assert.equal(app.redirects.length, app.asked);
  });
};

const outlive = async (journeys, named) => {
  await step(`${named("restart")}: the server stops and starts again on the same data and port`, restart);
  for (const { proof, app } of journeys) {
    await step(`${named("restart")}: the ${proof} connection still works and still refreshes`, async () => {
      await working(app.mcp);
      const { refresh_token } = app.saved;
      app.expire();
      await working(app.mcp);
      assert.notEqual(app.saved.refresh_token, refresh_token);
      assert.equal(app.redirects.length, app.asked);
    });
  }
};

/** Whoever goes on from a new authorization still is who they were: same registration, same client id at the page. */
const comeBack = async (app, callback, token) => {
  assert.ok(app.look().every(({ path }) => !path.endsWith("/register")));
  assert.equal(app.redirects.at(-1).searchParams.get("client_id"), app.client.client_id);
  app.asked = app.redirects.length;
  callback.expect();
  await pasteToken(app.redirects.at(-1).href, token, app.redirectUrl);
  const params = await callback.received();
  assert.equal(params.get("state"), app.sentState);
  await app.sdk.finish(app.line, params);
  await app.connect();
  await working(app.mcp);
};

const end = async (app, said, how) => {
  await step(`${said}: ${how.said} is felt within a second`, async () => {
    assert.equal(await statusOf(app.saved.access_token), 200);
    how.now();
    await within(1000, async () => assert.equal(await statusOf(app.saved.access_token), 401));
  });

  await step(`${said}: the SDK says Unauthorized and asks for a new authorization`, async () => {
    app.look();
    await assert.rejects(working(app.mcp), app.sdk.UnauthorizedError);
    const sent = app.lookPastDiscovery();
    assert.equal(sent[0].status, 401);
    assert.match(sent[0].challenge, /error="invalid_token"/);
    assert.deepEqual([sent[1].path.endsWith("/token"), sent[1].status], [true, 400]);
    assert.equal(sent.length, 2);
    assert.equal(app.saved, undefined);
    assert.ok(app.client, "the registration is kept");
    assert.equal(app.redirects.length, app.asked + 1);
  });
};

const journey = async (sdk, era) => {
  const named = (part) => (era.name ? `${era.name}, ${part}` : part);
  const pat = freshToken(`${sdk.name} ${era.name}`);
  const journeys = [];
  for (const [proof, name, consent] of [
    ["password", "Reunidor", signIn],
    ["token", "Escriba", pasteToken],
  ]) {
    const callback = await Callback.open();
    const app = new sdk.App(sdk, era, name, callback.url);
    const said = named(proof);
    journeys.push({ proof, app, callback });
    await connectFromUrl(app, said);
    app.asked = app.redirects.length;
    await step(`${said}: consent in a browser`, () =>
      consent(app.redirects[0].href, proof === "token" ? pat.token : name, callback.url),
    );
    await redeem(app, callback, said);
    await callTools(app, said);
    await refresh(app, said);
  }
  const [{ app: byPassword }, { app: byToken, callback }] = journeys;
  await share(byToken, named("token"));
  await outlive(journeys, named);
  await step(`${named("restart")}: the registered app authorizes again under its old name`, async () => {
    byToken.saved = undefined;
    byToken.look();
    assert.equal(await sdk.auth(byToken, { serverUrl: demo().endpoint, fetchFn: byToken.fetch }), "REDIRECT");
    await comeBack(byToken, callback, pat.token);
  });

  await end(byToken, named("token"), {
    said: "revoking the token that allowed it",
    now: () => revokeToken(pat.id),
  });
  await step(`${named("password")}: the other connection is untouched`, () => working(byPassword.mcp));
  await end(byPassword, named("password"), {
    said: "ending the connection",
    now: () => {
      const grants = portero("grant", "list", "--client", byPassword.client.client_id);
      const active = grants.filter(({ status }) => status === "active");
      assert.equal(active.length, 1);
      portero("grant", "revoke", active[0].id);
    },
  });
  await step(`${named("token")}: the app is let in again with another token`, () =>
    comeBack(byToken, callback, freshToken(`${sdk.name} ${era.name} again`).token),
  );
  for (const { callback } of journeys) callback.close();
};

/** The eras that an SDK of this kind may speak. */
export const LEGACY = {
  greeting: "initialize",
  revision: "2025-11-25",
  negotiated: (_, line) => line.protocolVersion,
  // The SDK tries for a stream after the handshake; there is none, and that is no fault.
  handshake: ["POST 200", "POST 202", "GET 405"],
};
export const MODERN = {
  greeting: "server/discover",
  revision: "2026-07-28",
  negotiated: (mcp) => mcp.getNegotiatedProtocolVersion(),
  handshake: ["POST 200"],
};

/** All of it, once for each era; or, as one of several processes, a part of it. */
export const run = async (sdk, eras) => {
  if (process.argv[2] === "sharer") return sharer(sdk, eras);
  for (const era of eras) await journey(sdk, era);
};
