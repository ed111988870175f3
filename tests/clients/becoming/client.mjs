// The official SDKs before Becoming: a person signs in and ticks some of the eleven permissions, the agent is told
// what is missing, and a second authorization adds it. Then the same before a service that says no by HTTP status, where
// the SDK takes the challenge and steps up by itself.

import * as v2 from "@modelcontextprotocol/client";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { python, startExample } from "../shared/example.mjs";
import { Memory } from "../shared/memory.mjs";
import { assert, Callback, main, step, withBrowser } from "../shared/support.mjs";

const V1 = {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  finish: (line, params) => line.finishAuth(params.get("code")),
};
const V2 = { ...v2, finish: (line, params) => line.finishAuth(params) };

const EMAIL = "ana@example.com";
const PASSWORD = "a password of some length";
const ALL = ["highlights", "sources", "themes", "practices", "reflections"]
  .flatMap((of) => [`${of}:read`, `${of}:write`])
  .concat("notes:read")
  .toSorted();

const start = async (more) => {
  const { base, command } = await startExample({
    name: "becoming",
    origins: "https://mcp.example.com",
    worker: "http://127.0.0.1:9104",
    ready: "/.well-known/oauth-protected-resource/becoming/mcp",
    more,
  });
  const person = ["user", "create", "--email", EMAIL, "--name", "Ana", "--plan", "libre", "--external-id", "ana"];
  command([...person, "--password-stdin"], `${PASSWORD}\n`);
  return `${base}/becoming/mcp`;
};

/** Signs in and allows exactly these permissions; says which ones were offered. */
const allow = (href, back, scopes) =>
  withBrowser({ javaScriptEnabled: false, locale: "es-ES" }, async (page) => {
    await page.goto(href);
    await page.locator("input[name=email]").fill(EMAIL);
    await page.locator("#password").fill(PASSWORD);
    await page.locator("form[action='/login'] button").click();
    const boxes = page.locator("input[name=scope]");
    const offered = [];
    for (const box of await boxes.all()) {
      const scope = await box.getAttribute("value");
      offered.push(scope);
      if ((await box.getAttribute("type")) === "checkbox") await box.setChecked(scopes.includes(scope));
    }
    await page.locator("button[name=decision][value=allow]").click();
    await page.waitForURL(`${back}?*`);
    return offered.toSorted();
  });

/** An agent with its memory. */
class Agent extends Memory {
  static async open(sdk, endpoint, client) {
    const agent = new Agent();
    agent.sdk = sdk;
    agent.endpoint = endpoint;
    agent.client = client;
    agent.asked = [];
    agent.callback = await Callback.open();
    return agent;
  }
  get redirectUrl() {
    return this.callback.url;
  }
  get clientMetadata() {
    return { client_name: "Lectora", redirect_uris: [this.redirectUrl], token_endpoint_auth_method: "none" };
  }
  redirectToAuthorization = (url) => this.asked.push(url);

  async connect() {
    this.line = new this.sdk.StreamableHTTPClientTransport(new URL(this.endpoint), { authProvider: this });
    this.mcp = new this.sdk.Client({ name: "lectora", version: "1.0.0" });
    await this.mcp.connect(this.line);
  }
  /** The person answers the last question; the scopes that were offered. */
  async answered(scopes) {
    const asked = this.asked.at(-1);
    this.callback.expect();
    const offered = await allow(asked.href, this.redirectUrl, scopes);
    await this.sdk.finish(this.line, await this.callback.received());
    return { asked: asked.searchParams.get("scope")?.split(" ").toSorted(), offered };
  }
  /** From the bare URL to a connection with exactly these permissions. */
  async authorized(scopes) {
    await assert.rejects(this.connect(), this.sdk.UnauthorizedError);
    const question = await this.answered(scopes);
    await this.connect();
    return question;
  }
  granted = () => this.saved.scope.split(" ").toSorted();
  tool = (name, args = {}) => this.mcp.callTool({ name, arguments: args });
  names = async () => (await this.mcp.listTools()).tools.map(({ name }) => name).toSorted();
}

/** The SDK throws this number and code. */
const refused = (call, number, code) =>
  assert.rejects(call, (error) => {
    assert.ok(error instanceof McpError, error?.stack);
    assert.deepEqual([error.code, error.data.code], [number, code], error.message);
    return true;
  });

const READING = ["highlights:read", "sources:read"];

const chosen = async (endpoint) => {
  const agent = await Agent.open(V1, endpoint);

  await step("eleven permissions are offered, and two are allowed", async () => {
    const { offered } = await agent.authorized(READING);
    assert.deepEqual(offered, ALL);
    assert.deepEqual(agent.granted(), READING);
  });

  await step("the list is exactly what they allow", async () => {
    const expected = ["get_academy_status", "get_highlight", "get_import", "get_source", "list_sources", "search_highlights"];
    assert.deepEqual(await agent.names(), expected);
    const found = await agent.tool("search_highlights", { query: "hábito", limit: 3 });
    assert.equal(found.isError, false, JSON.stringify(found));
    assert.ok((await agent.mcp.listResources()).resources.every(({ uri }) => !uri.startsWith("becoming://notes")));
  });

  await step("what was left out is -32002, for tools and resources", async () => {
    await refused(agent.tool("list_themes"), -32002, "missing_scope");
    await refused(agent.tool("add_highlights", { confirm: true, user_intent: "x" }), -32002, "missing_scope");
    await refused(agent.mcp.readResource({ uri: "becoming://notes" }), -32002, "missing_scope");
    assert.ok((await agent.mcp.readResource({ uri: "becoming://highlights" })).contents.length > 0);
  });

  const wider = await Agent.open(V1, endpoint, agent.client);
  await step("a second authorization adds it, and leaves the first connection as it is", async () => {
    const scopes = [...READING, "themes:read", "themes:write", "highlights:write"].toSorted();
    await wider.authorized(scopes);
    assert.deepEqual(wider.granted(), scopes);
    assert.equal(wider.client.client_id, agent.client.client_id);
    assert.equal((await wider.tool("list_themes")).isError, false);
    await refused(agent.tool("list_themes"), -32002, "missing_scope");
    assert.equal((await agent.tool("list_sources")).isError, false);
  });

  await step("what writes asks for a person, and the academy for its plan", async () => {
    const found = await wider.tool("list_sources");
    const source = JSON.parse(found.content[0].text);
    const id = (source.sources ?? source.items ?? source.data)[0].id;
    const highlights = { source_id: id, highlights: [{ content: "Lo que se repite, permanece." }] };
    await refused(wider.tool("add_highlights", highlights), -32011, "confirmation_required");
    await refused(wider.tool("add_highlights", { ...highlights, confirm: true }), -32011, "confirmation_required");
    const agreed = { confirm: true, user_intent: "Guardar la frase de hoy" };
    const saved = await wider.tool("add_highlights", { ...highlights, ...agreed });
    assert.equal(saved.isError, false, JSON.stringify(saved));
    await refused(wider.tool("complete_theme", { theme_id: 1, ...agreed }), -32010, "feature_not_included");
  });
};

/** `forgets`: the first SDK refreshes where it can, and no refresh adds a permission; so an app of it that steps up keeps
    no refresh token. The second one knows. */
const steppedUp = async (sdk, said, endpoint, forgets) => {
  const agent = await Agent.open(sdk, endpoint);

  await step(`${said}: a connection with one permission`, async () => {
    await agent.authorized(["sources:read"]);
    assert.equal((await agent.tool("list_sources")).isError, false);
    if (forgets) delete agent.saved.refresh_token;
  });

  await step(`${said}: a 403 sends the SDK to the person for what is missing, and for what there was`, async () => {
    await assert.rejects(agent.tool("search_highlights", { query: "hábito" }), sdk.UnauthorizedError);
    assert.equal(agent.asked.length, 2);
    const { asked, offered } = await agent.answered(READING);
    assert.deepEqual([asked, offered], [READING, READING]);
    assert.deepEqual(agent.granted(), READING);
  });

  await step(`${said}: and the call passes`, async () => {
    await agent.connect();
    assert.equal((await agent.tool("search_highlights", { query: "hábito" })).isError, false);
    assert.equal((await agent.tool("list_sources")).isError, false);
  });
};

/** Its report is its own: its lines are counted as ours are. */
const sayPython = async (endpoint, more) =>
  assert.equal(await python({ ENDPOINT: endpoint, EMAIL, PASSWORD, ...more }), 0, "the Python program's end");

await main(async () => {
  const byNumber = await start([]);
  await chosen(byNumber);
  await sayPython(byNumber, {});
  const endpoint = await start([['errors = "jsonrpc"', 'errors = "http"']]);
  await steppedUp(V1, "step-up, SDK 1.x", endpoint, true);
  await steppedUp(V2, "step-up, SDK 2.x", endpoint, false);
  await sayPython(endpoint, { STEPS_UP: "1" });
});
