// What a client of the TypeScript SDKs does with it, from the bare URL on.

import { EMAIL, PASSWORD } from "../shared/gateway.mjs";
import { Memory } from "../shared/memory.mjs";
import { assert, Callback, step, withBrowser, within } from "../shared/support.mjs";
import { ASKING, PROMPTS, TOOLS } from "./offers.mjs";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };

/** Signs in and allows what is asked. */
const allow = (href, back) =>
  withBrowser({ javaScriptEnabled: false, locale: "en-GB" }, async (page) => {
    await page.goto(href);
    await page.locator("input[name=email]").fill(EMAIL);
    await page.locator("#password").fill(PASSWORD);
    await page.locator("form[action='/login'] button").click();
    await page.locator("button[name=decision][value=allow]").click();
    await page.waitForURL(`${back}?*`);
  });

/** A program on the SDK with its memory, which answers what servers ask. */
class App extends Memory {
  constructor(sdk, endpoint, options) {
    super();
    Object.assign(this, { sdk, endpoint, options, asked: [], updates: [], wire: [] });
  }
  async prepare() {
    this.callback = await Callback.open();
    this.redirectUrl = this.callback.url;
    this.clientMetadata = {
      client_name: "Probe",
      redirect_uris: [this.redirectUrl],
      token_endpoint_auth_method: "none",
    };
  }
  redirectToAuthorization = (url) => (this.authorization = url);

  fetch = async (url, init) => {
    const response = await fetch(url, init);
    this.wire.push(`${init?.method ?? "GET"} ${response.status}`);
    return response;
  };

  async connect() {
    const { sdk } = this;
    this.line = new sdk.StreamableHTTPClientTransport(new URL(this.endpoint), { authProvider: this, fetch: this.fetch });
    this.mcp = new sdk.Client({ name: "probe", version: "1.0.0" }, { capabilities: CAPABILITIES, ...this.options });
    const answer = (method, result) =>
      sdk.answer(this.mcp, method, ({ params }) => {
        this.asked.push({ method, params });
        return result;
      });
    answer("elicitation/create", { action: "accept", content: { name: "Ana", check: true } });
    answer("sampling/createMessage", {
      role: "assistant",
      content: { type: "text", text: "Forty-two." },
      model: "a-model",
      stopReason: "endTurn",
    });
    answer("roots/list", { roots: [{ uri: "file:///home/ana/notes", name: "Notes" }] });
    sdk.listen(this.mcp, ({ params }) => this.updates.push(params.uri));
    await this.mcp.connect(this.line);
  }
  call(name, args = {}, options = undefined) {
    return this.sdk.call(this.mcp, { name, arguments: args }, options);
  }
}

/** The one text of a result. */
const textOf = ({ content, isError }) => {
  assert.ok(!isError, JSON.stringify(content));
  assert.deepEqual(
    content.map(({ type }) => type),
    ["text"],
  );
  return content[0].text;
};

const connect = async (app, said, modern) => {
  await step(`${said}: the bare URL leads to consent, and that to the server`, async () => {
    await app.prepare();
    await assert.rejects(app.connect(), app.sdk.UnauthorizedError);
    await allow(app.authorization.href, app.redirectUrl);
    await app.sdk.finish(app.line, await app.callback.received());
    await app.connect();
    assert.equal(app.mcp.getServerVersion().name, "examinee-behind-portero");
    const { tools, prompts, resources, completions, logging } = app.mcp.getServerCapabilities();
    assert.ok(tools && prompts && resources && completions);
    if (modern) {
      assert.equal(app.mcp.getNegotiatedProtocolVersion(), "2026-07-28");
      assert.equal(app.line.sessionId, undefined);
    } else {
      assert.ok(logging);
      assert.match(app.line.sessionId, /^[!-~]{20,}$/);
    }
  });
};

const callTools = async (app, said) => {
  await step(`${said}: tools/list has the server's tools, those that ask something too`, async () => {
    const { tools } = await app.mcp.listTools();
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), [...TOOLS, ...ASKING].toSorted());
  });

  await step(`${said}: echo and get-sum answer`, async () => {
    assert.equal(textOf(await app.call("echo", { message: "¿quién?" })), "Echo: ¿quién?");
    assert.equal(textOf(await app.call("get-sum", { a: 2, b: 40 })), "The sum of 2 and 40 is 42.");
  });

  await step(`${said}: a picture, annotations, links and structured content come as they were`, async () => {
    const picture = (await app.call("get-tiny-image")).content.find(({ type }) => type === "image");
    assert.equal(picture.mimeType, "image/png");
    assert.equal(Buffer.from(picture.data, "base64").subarray(1, 4).toString(), "PNG");
    const [annotated] = (await app.call("get-annotated-message", { messageType: "error" })).content;
    assert.deepEqual(annotated.annotations, { priority: 1, audience: ["user", "assistant"] });
    const links = (await app.call("get-resource-links", { count: 3 })).content;
    assert.deepEqual(
      links.map(({ type }) => type),
      ["text", "resource_link", "resource_link", "resource_link"],
    );
    const { structuredContent } = await app.call("get-structured-content", { location: "New York" });
    assert.deepEqual(Object.keys(structuredContent).toSorted(), ["conditions", "humidity", "temperature"]);
  });

  await step(`${said}: the progress of a long operation is told while it runs`, async () => {
    const told = [];
    const began = Date.now();
    const result = await app.call(
      "trigger-long-running-operation",
      { duration: 2, steps: 4 },
      { onprogress: ({ progress, total }) => told.push({ progress, total, at: Date.now() - began }) },
    );
    assert.match(textOf(result), /Duration: 2 seconds, Steps: 4/);
    // The last one may be overtaken by the result, which closes the call.
    assert.ok(told.length >= 3, JSON.stringify(told));
    told.forEach(({ progress, total }, at) => assert.deepEqual([progress, total], [at + 1, 4]));
    assert.ok(told[2].at - told[0].at > 700, `all at once: ${JSON.stringify(told)}`);
  });

  await step(`${said}: a tool that is not there, and arguments that do not fit`, async () => {
    await assert.rejects(app.call("no-such-tool"), { code: -32602 });
    assert.equal((await app.call("get-sum", { a: "two" })).isError, true);
  });
};

const readShelf = async (app, said) => {
  await step(`${said}: resources are listed and read, text and binary`, async () => {
    const { resources } = await app.mcp.listResources();
    assert.ok(resources.some(({ uri }) => uri === "demo://resource/static/document/features.md"));
    const [page] = (await app.mcp.readResource({ uri: "demo://resource/static/document/features.md" })).contents;
    assert.match(page.text, /Everything Server/);
    const { resourceTemplates } = await app.mcp.listResourceTemplates();
    assert.ok(resourceTemplates.some(({ uriTemplate }) => uriTemplate === "demo://resource/dynamic/text/{resourceId}"));
    const [text] = (await app.mcp.readResource({ uri: "demo://resource/dynamic/text/7" })).contents;
    assert.match(text.text, /^Resource 7: /);
    const [blob] = (await app.mcp.readResource({ uri: "demo://resource/dynamic/blob/7" })).contents;
    assert.match(Buffer.from(blob.blob, "base64").toString(), /^Resource 7: /);
    await assert.rejects(app.mcp.readResource({ uri: "demo://resource/none" }));
  });

  await step(`${said}: prompts are listed and filled in, and their arguments completed`, async () => {
    const { prompts } = await app.mcp.listPrompts();
    assert.deepEqual(prompts.map(({ name }) => name).toSorted(), PROMPTS);
    const { messages } = await app.mcp.getPrompt({ name: "args-prompt", arguments: { city: "Oviedo" } });
    assert.match(messages[0].content.text, /Oviedo/);
    const { completion } = await app.mcp.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" },
    });
    assert.deepEqual(completion.values, ["Engineering"]);
  });
};

const beAsked = async (app, said) => {
  const asked = (method) => app.asked.filter((own) => own.method === method);

  await step(`${said}: the server asks the person something, and has the answer`, async () => {
    const { content, isError } = await app.call("trigger-elicitation-request");
    assert.ok(!isError, JSON.stringify(content));
    assert.ok(content.some(({ text }) => text.includes("Ana")), JSON.stringify(content));
    const [{ params }] = asked("elicitation/create");
    assert.deepEqual(params.requestedSchema.required, ["name"]);
  });

  await step(`${said}: the server asks the client's model something, and has the answer`, async () => {
    const { content } = await app.call("trigger-sampling-request", { prompt: "What is it?", maxTokens: 7 });
    assert.ok(content.some(({ text }) => text.includes("Forty-two.")), JSON.stringify(content));
    const [{ params }] = asked("sampling/createMessage");
    assert.equal(params.maxTokens, 7);
    assert.match(JSON.stringify(params.messages), /What is it\?/);
  });

  await step(`${said}: the server knows the client's roots`, async () => {
    assert.match(textOf(await app.call("get-roots-list")), /file:\/\/\/home\/ana\/notes/);
    assert.ok(asked("roots/list").length >= 1);
  });

  await step(`${said}: a resource that was subscribed to is said to have changed`, async () => {
    const uri = "demo://resource/dynamic/text/3";
    await app.mcp.subscribeResource({ uri });
    await app.call("toggle-subscriber-updates");
    await within(8000, () => assert.ok(app.updates.includes(uri)));
    await app.call("toggle-subscriber-updates");
    await app.mcp.unsubscribeResource({ uri });
  });
};

const leave = async (app, said) => {
  await step(`${said}: the session ends where it was begun, and is gone`, async () => {
    const { sessionId } = app.line;
    await app.line.terminateSession();
    assert.equal(app.line.sessionId, undefined);
    assert.ok(app.wire.some((sent) => /^DELETE 20[0-9]$/.test(sent)), app.wire.join());
    await app.mcp.close();
    const response = await fetch(app.endpoint, {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.saved.access_token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-session-id": sessionId,
        "mcp-protocol-version": "2025-11-25",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    assert.equal(response.status, 404);
  });
};

/** All of it, as one client. */
export const use = async (sdk, gateway, options = {}) => {
  const mode = options.versionNegotiation?.mode;
  const said = mode ? `${sdk.name}, ${mode}` : sdk.name;
  // The server knows only revisions with sessions: to a client of the other era the gateway brings what does without.
  const modern = mode === "auto";
  const app = new App(sdk, gateway.endpoint, options);
  await connect(app, said, modern);
  await callTools(app, said);
  await readShelf(app, said);
  if (!modern) await beAsked(app, said);
  await (modern ? app.mcp.close() : leave(app, said));
  app.callback.close();
};
