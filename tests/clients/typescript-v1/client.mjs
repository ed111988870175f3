// The TypeScript SDK from the bare MCP URL to the end of its connections, twice: once the person signs in with
// e-mail and password in a browser without JavaScript, once a personal access token is pasted.

import { auth, refreshAuthorization, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { assert, Callback, demo, freshToken, main, portero, restart, step, within, withBrowser } from "./support.mjs";

const endpoint = demo().endpoint;
const TOOLS = [
  "get_meeting",
  "get_meeting_transcript",
  "get_recurring_meeting_history",
  "get_shared_note",
  "list_meetings",
  "list_pending_action_items",
  "search_meetings",
  "search_shared_notes",
];

/** An app with its memory: what the SDK asks of a host, and what went over the wire. */
class App {
  constructor(name, callback) {
    this.name = name;
    this.callback = callback;
    this.wire = [];
    this.redirects = [];
  }

  // ------------------------------------------------ OAuthClientProvider
  get redirectUrl() {
    return this.callback.url;
  }
  get clientMetadata() {
    return {
      client_name: this.name,
      redirect_uris: [this.callback.url],
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
  transport() {
    return new StreamableHTTPClientTransport(new URL(endpoint), { authProvider: this, fetch: this.fetch });
  }
  /** A connection that has shaken hands. */
  async connect() {
    this.mcp = new Client({ name: this.name, version: "1.0.0" });
    this.errors = [];
    this.mcp.onerror = (error) => this.errors.push(error);
    this.line = this.transport();
    await this.mcp.connect(this.line);
    return this.mcp;
  }
  /** As if the hour of the access token were over. */
  expire() {
    this.saved = { ...this.saved, access_token: `${this.saved.access_token.slice(0, -1)}!` };
  }
  /** What was sent since the last look. */
  look() {
    return this.wire.splice(0);
  }
}

const meetings = async (mcp) => {
  const result = await mcp.callTool({ name: "list_meetings", arguments: { limit: 3 } });
  assert.equal(result.isError, false);
  assert.equal(result.content.length, 1);
  assert.equal(result.content[0].type, "text");
  return JSON.parse(result.content[0].text);
};

const working = async (mcp) => assert.equal((await meetings(mcp)).meetings.length, 3);

/** The status that an access token gets, without an SDK between. */
const statusOf = async (token) => {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await response.arrayBuffer();
  return response.status;
};

const connectFromUrl = async (app, proof) => {
  const origin = new URL(endpoint).origin;
  const path = new URL(endpoint).pathname;

  await step(`${proof}: the bare URL leads to an authorization URL`, async () => {
    await assert.rejects(app.connect(), UnauthorizedError);
    assert.equal(app.redirects.length, 1);
    const sent = app.look();
    assert.deepEqual([sent[0].method, sent[0].path, sent[0].status], ["POST", path, 401]);
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

  await step(`${proof}: the app is registered without a secret`, () => {
    assert.ok(app.client.client_id);
    assert.equal(app.client.client_secret, undefined);
    assert.equal(app.client.token_endpoint_auth_method, "none");
    assert.deepEqual(app.client.redirect_uris, [app.callback.url]);
    assert.equal(app.client.issuer, endpoint);
  });

  await step(`${proof}: the authorization URL asks for the right things`, () => {
    const url = app.redirects[0];
    assert.equal(url.origin + url.pathname, `${origin}${path}/authorize`);
    const params = Object.fromEntries(url.searchParams);
    assert.ok(params.code_challenge);
    delete params.code_challenge;
    assert.deepEqual(params, {
      response_type: "code",
      client_id: app.client.client_id,
      code_challenge_method: "S256",
      redirect_uri: app.callback.url,
      state: app.sentState,
      scope: "mico:read",
      resource: endpoint,
    });
  });
};

const redeem = async (app, proof) => {
  await step(`${proof}: the redirect brings code, state and issuer`, async () => {
    const params = await app.callback.received();
    assert.deepEqual([...params.keys()].sort(), ["code", "iss", "state"]);
    assert.equal(params.get("state"), app.sentState);
    assert.equal(params.get("iss"), endpoint);
    app.code = params.get("code");
  });

  await step(`${proof}: the code becomes tokens`, async () => {
    await app.line.finishAuth(app.code);
    const { access_token, refresh_token, token_type, expires_in, scope } = app.saved;
    assert.match(access_token, /^mico_oat_[0-9A-Za-z]{49}$/);
    assert.match(refresh_token, /^mico_ort_[0-9A-Za-z]{49}$/);
    assert.deepEqual([token_type, expires_in, scope], ["Bearer", 3600, "mico:read"]);
  });
};

const callTools = async (app, proof) => {
  await step(`${proof}: the handshake names server and revision`, async () => {
    app.look();
    const mcp = await app.connect();
    assert.equal(mcp.getServerVersion().name, "mico-mcp");
    assert.equal(app.line.protocolVersion, "2025-11-25");
    assert.deepEqual(Object.keys(mcp.getServerCapabilities()), ["tools"]);
    assert.match(mcp.getInstructions(), /reuniones/);
    assert.equal(app.line.sessionId, undefined);
    // The SDK tries for a stream after the handshake; there is none, and that is no fault.
    await within(2000, () => assert.equal(app.wire.find(({ method }) => method === "GET")?.status, 405));
    assert.equal(app.wire.filter(({ method }) => method === "POST")[1].status, 202);
    assert.deepEqual(app.errors, []);
  });

  await step(`${proof}: tools/list has the eight tools`, async () => {
    const { tools } = await app.mcp.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS);
    for (const tool of tools) {
      assert.equal(tool.annotations.readOnlyHint, true, tool.name);
      assert.equal(tool.inputSchema.type, "object", tool.name);
    }
  });

  await step(`${proof}: list_meetings gives meetings, newest first`, async () => {
    const { meetings: all, pagination } = await meetings(app.mcp);
    assert.equal(all.length, 3);
    const times = all.map(({ created_at }) => Date.parse(created_at));
    assert.ok(times.every(Number.isFinite), JSON.stringify(all[0]));
    assert.deepEqual(times, times.toSorted((a, b) => b - a));
    assert.equal(pagination.limit, 3);
  });

  await step(`${proof}: a tool that is not there is an error of the protocol`, async () => {
    await assert.rejects(app.mcp.callTool({ name: "delete_meeting", arguments: {} }), { code: -32602 });
  });
};

const refresh = async (app, proof) => {
  const before = app.saved;

  await step(`${proof}: a spent access token is refreshed behind a call`, async () => {
    app.expire();
    app.look();
    await working(app.mcp);
    const sent = app.look().filter(({ path }) => !path.includes(".well-known"));
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

  await step(`${proof}: the old access token lives on for its hour`, async () => {
    assert.equal(await statusOf(before.access_token), 200);
  });

  await step(`${proof}: the old refresh token leads to the same successor`, async () => {
    const again = await refreshAuthorization(endpoint, {
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

  await step(`${proof}: six calls that all find the token spent all succeed`, async () => {
    const from = app.saved.refresh_token;
    const lines = [];
    for (let i = 0; i < 6; i += 1) {
      lines.push(new Client({ name: app.name, version: "1.0.0" }));
      await lines[i].connect(app.transport());
    }
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

const signIn = async (app) => {
  await step("password: signing in and allowing, without JavaScript", () =>
    withBrowser({ javaScriptEnabled: false, locale: "en-GB" }, async (page) => {
      await page.goto(app.redirects[0].href);
      assert.match(await page.locator("h1").innerText(), new RegExp(app.name));
      const { email, password } = demo();
      await page.getByLabel("Email").fill(email);
      await page.locator("#password").fill("not the password");
      await page.locator("form[action='/login'] button").click();
      assert.ok(await page.getByRole("alert").isVisible());
      await page.getByLabel("Email").fill(email);
      await page.locator("#password").fill(password);
      await page.locator("form[action='/login'] button").click();
      assert.match(new URL(page.url()).pathname, /\/authorize$/);
      assert.match(await page.locator(".person").innerText(), /ana@example\.com/);
      assert.equal(await page.locator("#pat").count(), 0);
      assert.ok(await page.locator("input[name=scope][value='mico:read']").isChecked());
      await page.locator("button[name=decision][value=allow]").click();
      await page.waitForURL(`${app.callback.url}?*`);
    }),
  );
};

const pasteToken = async (app, token) => {
  await step("token: pasting a token and allowing", () =>
    withBrowser({ locale: "es-ES" }, async (page) => {
      await page.goto(app.redirects[0].href);
      assert.equal(await page.locator("html").getAttribute("lang"), "es");
      const broken = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
      await page.locator("#pat").fill(broken);
      await page.locator("button[name=decision][value=allow]").click();
      assert.ok(await page.getByRole("alert").isVisible());
      await page.locator("#pat").fill(token);
      await page.locator("button[name=decision][value=allow]").click();
      await page.waitForURL(`${app.callback.url}?*`);
    }),
  );
};

const outlive = async (apps) => {
  await step("restart: the server stops and starts again on the same data and port", restart);
  for (const [proof, app] of apps) {
    await step(`restart: the ${proof} connection still works and still refreshes`, async () => {
      await working(app.mcp);
      const { refresh_token } = app.saved;
      app.expire();
      await working(app.mcp);
      assert.notEqual(app.saved.refresh_token, refresh_token);
      assert.equal(app.redirects.length, app.asked);
    });
  }
};

/** The app still is who it was: no second registration, the same client id at the page. */
const signInAgain = async (app, token) => {
  await step("restart: the registered app authorizes again under its old name", async () => {
    const { client_id } = app.client;
    app.saved = undefined;
    app.callback.expect();
    app.look();
    assert.equal(await auth(app, { serverUrl: endpoint, fetchFn: app.fetch }), "REDIRECT");
    assert.ok(app.look().every(({ path }) => !path.endsWith("/register")));
    assert.equal(app.redirects.at(-1).searchParams.get("client_id"), client_id);
    app.asked = app.redirects.length;
    await withBrowser({ javaScriptEnabled: false }, async (page) => {
      await page.goto(app.redirects.at(-1).href);
      await page.locator("#pat").fill(token);
      await page.locator("button[name=decision][value=allow]").click();
      await page.waitForURL(`${app.callback.url}?*`);
    });
    const params = await app.callback.received();
    assert.equal(params.get("state"), app.sentState);
    await app.line.finishAuth(params.get("code"));
    await app.connect();
    await working(app.mcp);
  });
};

const end = async (app, proof, how) => {
  await step(`${proof}: ${how.said} is felt within a second`, async () => {
    assert.equal(await statusOf(app.saved.access_token), 200);
    how.now();
    await within(1000, async () => assert.equal(await statusOf(app.saved.access_token), 401));
  });

  await step(`${proof}: the SDK says Unauthorized and asks for a new authorization`, async () => {
    app.look();
    await assert.rejects(working(app.mcp), UnauthorizedError);
    const sent = app.look().filter(({ path }) => !path.includes(".well-known"));
    assert.equal(sent[0].status, 401);
    assert.match(sent[0].challenge, /error="invalid_token"/);
    assert.deepEqual([sent[1].path.endsWith("/token"), sent[1].status], [true, 400]);
    assert.equal(sent.length, 2);
    assert.equal(app.saved, undefined);
    assert.ok(app.client, "the registration is kept");
    assert.equal(app.redirects.length, app.asked + 1);
  });
};

await main(async () => {
  const byPassword = new App("Reunidor", await Callback.open());
  const byToken = new App("Escriba", await Callback.open());
  const pat = freshToken("typescript-v1");
  const journeys = [
    ["password", byPassword, () => signIn(byPassword)],
    ["token", byToken, () => pasteToken(byToken, pat.token)],
  ];
  for (const [proof, app, consent] of journeys) {
    await connectFromUrl(app, proof);
    app.asked = app.redirects.length;
    await consent();
    await redeem(app, proof);
    await callTools(app, proof);
    await refresh(app, proof);
  }
  await outlive(journeys);
  await signInAgain(byToken, pat.token);

  await end(byToken, "token", {
    said: "revoking the token that allowed it",
    now: () => {
      const listed = portero("token", "list").find(({ name }) => name === "typescript-v1");
      assert.equal(listed.id, pat.id);
      portero("token", "revoke", listed.id);
    },
  });
  await step("password: the other connection is untouched", () => working(byPassword.mcp));
  await end(byPassword, "password", {
    said: "ending the connection",
    now: () => {
      const grants = portero("grant", "list", "--client", byPassword.client.client_id);
      assert.equal(grants.length, 1);
      portero("grant", "revoke", grants[0].id);
    },
  });
  for (const [, app] of journeys) app.callback.close();
});
