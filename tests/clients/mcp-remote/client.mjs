// mcp-remote, as a desktop app starts it: a program between the app's pipe and the server, which discovers, registers,
// opens the browser and remembers in a folder. Twice: once for each era of the protocol, and by that once for each
// proof of identity. Beside it, a personal access token given as a header.

import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Program } from "../shared/program.mjs";
import {
  assert,
  assertMeetings,
  deleteClient,
  demo,
  freshToken,
  main,
  ownFolder,
  pasteToken,
  portero,
  restart,
  revokeToken,
  ServerLog,
  signIn,
  statusOf,
  step,
  TOOLS,
  within,
} from "../shared/support.mjs";

const PROXY = join(dirname(createRequire(import.meta.url).resolve("mcp-remote/package.json")), "dist/proxy.js");
const APP = "MCP CLI Proxy";
const PROCESSES = 3;

/** A folder that mcp-remote remembers in, as its user's home keeps one. */
class Memory {
  folder = ownFolder("mcp-remote");

  file(kind) {
    const folder = join(this.folder, "mcp-remote-v1");
    const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(`_${kind}.json`)) : [];
    assert.ok(names.length <= 1, names.join());
    return names.length ? join(folder, names[0]) : undefined;
  }
  read(kind) {
    const file = this.file(kind);
    return file && JSON.parse(readFileSync(file, "utf8"));
  }
  get tokens() {
    return this.read("tokens");
  }
  get client() {
    return this.read("client_info");
  }
  /** As if the hour of the access token were over: `told`, by the clock of whoever remembers it, else unnoticed. */
  expire(told) {
    const { access_token, ...rest } = this.tokens;
    const spent = told ? { expires_at: Date.now() - 1000 } : {};
    const tokens = { ...rest, access_token: `${access_token.slice(0, -1)}!`, ...spent };
    writeFileSync(this.file("tokens"), JSON.stringify(tokens));
  }
  lose(kind) {
    rmSync(this.file(kind));
  }
}

class RpcError extends Error {
  constructor({ code, message }) {
    super(message);
    this.code = code;
  }
}

/** A desktop app: it starts mcp-remote and speaks JSON-RPC with it over its pipe. */
class Desktop extends Program {
  constructor(memory, args = []) {
    super(process.execPath, [PROXY, demo().endpoint, ...args], { MCP_REMOTE_CONFIG_DIR: memory.folder });
    this.waiting = new Map();
    this.last = 0;
    let rest = "";
    this.child.stdout.on("data", (data) => {
      const lines = (rest + data).split("\n");
      rest = lines.pop();
      for (const line of lines) this.take(JSON.parse(line));
    });
    this.ended.then((code) => {
      const end = new Error(`mcp-remote ended with ${code}\n${this.err}`);
      for (const { reject } of this.waiting.values()) reject(end);
    });
  }

  take({ id, result, error }) {
    const { resolve, reject } = this.waiting.get(id) ?? {};
    this.waiting.delete(id);
    if (error) reject?.(new RpcError(error));
    else resolve?.(result);
  }
  send(message) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  ask(method, params = {}) {
    const id = (this.last += 1);
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    // An answer that nobody waits for any more is no fault of the test's.
    answer.catch(() => {});
    this.send({ id, method, params });
    return answer;
  }
  async greet() {
    const clientInfo = { name: "desktop", version: "1.0.0" };
    const greeted = await this.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.send({ method: "notifications/initialized" });
    return greeted;
  }
  async meetings() {
    const result = await this.ask("tools/call", { name: "list_meetings", arguments: { limit: 3 } });
    assert.notEqual(result.isError, true);
    assert.equal(result.content.length, 1);
    assertMeetings(JSON.parse(result.content[0].text));
  }
  /** The address that the person is sent to. */
  async authorization() {
    return new URL((await this.says(/authorize this client by visiting:\s+(\S+)/))[1]);
  }
}

const log = new ServerLog();

// What it asks before anything of a sign-in, and what the SDK in it asks at every 401.
const DISCOVERY = [
  "GET {mcp}/.well-known/oauth-protected-resource 200",
  "GET /.well-known/oauth-authorization-server{mcp} 200",
];
const REFRESHED = ["POST {mcp} 401", ...DISCOVERY, "POST {mcp}/token 200", "POST {mcp} 200"];

const shows = (expected) => log.shows((requests) => assert.deepEqual(requests, expected));

/** Allows what a program shows on its standard error, and forgets it. */
const allow = async (app, consent) => {
  const url = await app.authorization();
  app.hush();
  await consent(url.href, url.searchParams.get("redirect_uri"));
  return url;
};

const byPassword = (href, back) => signIn(href, APP, back);
const byToken = (token) => (href, back) => pasteToken(href, token, back);

const connect = async ({ said, era, args, consent }, memory) => {
  await log.quiet();
  const app = new Desktop(memory, args);
  const greeting = app.greet();
  let url;

  await step(`${said}: the bare URL leads to the browser`, async () => {
    url = await app.authorization();
    const probes = ["GET {mcp} 401", ...DISCOVERY, "GET {mcp} 401"];
    await shows([...probes, "POST {mcp} 401", ...DISCOVERY, "POST {mcp}/register 201"]);
  });

  await step(`${said}: the app is registered without a secret`, () => {
    const { client } = memory;
    assert.equal(client.client_name, APP);
    assert.equal(client.client_secret, undefined);
    assert.equal(client.token_endpoint_auth_method, "none");
    assert.equal(client.scope, "mico:read");
    assert.equal(client.issuer, demo().endpoint);
    assert.equal(client.redirect_uris.length, 1);
    assert.match(client.redirect_uris[0], /^http:\/\/localhost:\d+\/oauth\/callback$/);
  });

  await step(`${said}: the authorization URL asks for the right things`, () => {
    assert.equal(url.origin + url.pathname, `${demo().endpoint}/authorize`);
    const params = Object.fromEntries(url.searchParams);
    assert.match(params.code_challenge, /^[\w-]{43}$/);
    assert.ok(params.state);
    delete params.code_challenge;
    delete params.state;
    assert.deepEqual(params, {
      response_type: "code",
      client_id: memory.client.client_id,
      code_challenge_method: "S256",
      redirect_uri: memory.client.redirect_uris[0],
      scope: "mico:read",
      resource: demo().endpoint,
    });
  });

  await step(`${said}: consent in a browser`, () => allow(app, consent));

  await step(`${said}: the greeting that waited is answered`, async () => {
    const { protocolVersion, serverInfo, capabilities, instructions } = await greeting;
    assert.equal(protocolVersion, "2025-11-25");
    assert.equal(serverInfo.name, "mico-mcp");
    assert.deepEqual(Object.keys(capabilities), ["tools"]);
    assert.match(instructions, /reuniones/);
    if (era === "modern") await app.says(/Remote server speaks MCP 2026-07-28/);
  });

  await step(`${said}: what it remembers is what was granted`, () => {
    const { access_token, refresh_token, token_type, expires_in, scope } = memory.tokens;
    assert.match(access_token, /^mico_oat_[0-9A-Za-z]{49}$/);
    assert.match(refresh_token, /^mico_ort_[0-9A-Za-z]{49}$/);
    assert.deepEqual([token_type, expires_in, scope], ["Bearer", 3600, "mico:read"]);
  });
  return app;
};

const callTools = async (app, said) => {
  await step(`${said}: tools/list has the eight tools`, async () => {
    const { tools } = await app.ask("tools/list");
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS);
    assert.ok(tools.every(({ annotations, inputSchema }) => annotations.readOnlyHint && inputSchema.type === "object"));
  });

  await step(`${said}: list_meetings gives meetings, newest first`, () => app.meetings());

  await step(`${said}: a tool that is not there is an error of the protocol`, () =>
    assert.rejects(app.ask("tools/call", { name: "delete_meeting", arguments: {} }), { code: -32602 }),
  );
};

const refresh = async (app, memory, said) => {
  await step(`${said}: a spent access token is refreshed behind a call`, async () => {
    const before = memory.tokens;
    await log.quiet();
    memory.expire(false);
    await app.meetings();
    await shows(REFRESHED);
    assert.notEqual(memory.tokens.access_token, before.access_token);
    assert.notEqual(memory.tokens.refresh_token, before.refresh_token);
    assert.equal(await statusOf(before.access_token), 200);
  });

  await step(`${said}: one that is known to be spent is refreshed before the call`, async () => {
    const before = memory.tokens;
    await log.quiet();
    memory.expire(true);
    await app.meetings();
    await shows(["POST {mcp}/token 200", "POST {mcp} 200"]);
    assert.notEqual(memory.tokens.refresh_token, before.refresh_token);
  });
};

const tokenRequests = (requests) => requests.filter((request) => request.startsWith("POST {mcp}/token "));

const share = async (app, memory, { said, args }) => {
  let others;

  await step(`${said}: ${PROCESSES} more are started on a spent token, and all work without asking`, async () => {
    const before = memory.tokens.refresh_token;
    await log.quiet();
    memory.expire(true);
    others = Array.from({ length: PROCESSES }, () => new Desktop(memory, args));
    await Promise.all(others.map((other) => other.greet()));
    await Promise.all([app, ...others].map((one) => one.meetings()));
    await log.shows((requests) => {
      assert.ok(tokenRequests(requests).length >= 1, requests.join());
      assert.deepEqual(new Set(tokenRequests(requests)), new Set(["POST {mcp}/token 200"]));
      assert.ok(requests.every((request) => !request.includes("authorize") && !request.includes("register")));
    });
    assert.notEqual(memory.tokens.refresh_token, before);
  });

  await step(`${said}: all of them find the token spent during a call, refresh at once, and all work`, async () => {
    const before = memory.tokens.refresh_token;
    await log.quiet();
    memory.expire(false);
    await Promise.all([app, ...others].map((one) => one.meetings()));
    await log.shows((requests) => {
      const refused = requests.filter((request) => request === "POST {mcp} 401").length;
      assert.ok(refused >= 2, requests.join());
      assert.deepEqual(tokenRequests(requests), Array(refused).fill("POST {mcp}/token 200"));
    });
    assert.notEqual(memory.tokens.refresh_token, before);
  });

  await step(`${said}: what is remembered of it is the one live refresh token`, async () => {
    memory.expire(true);
    await app.meetings();
    await Promise.all(others.map((other) => other.meetings()));
    await Promise.all(others.map((other) => other.stop()));
  });
};

/** Whoever is let in again still is who they were. */
const letInAgain = async (app, memory, work, consent) => {
  const { client_id } = memory.client;
  const url = await allow(app, consent);
  assert.equal(url.searchParams.get("client_id"), client_id);
  await work;
  assert.equal(memory.client.client_id, client_id);
};

const journey = async (era, args, proof) => {
  const memory = new Memory();
  const said = `${era}, ${proof}`;
  const pat = freshToken(`mcp-remote ${era}`);
  const consent = proof === "password" ? byPassword : byToken(pat.token);
  const app = await connect({ said, era, args, consent }, memory);
  await callTools(app, said);
  await refresh(app, memory, said);
  await share(app, memory, { said, args });

  await step(`${said}: the server stops and starts again on the same data and port`, restart);
  await step(`${said}: the same process goes on with what it has, and still refreshes`, async () => {
    await app.meetings();
    memory.expire(false);
    await app.meetings();
  });

  await step(`${said}: ending what it has is felt within a second`, async () => {
    const { access_token } = memory.tokens;
    assert.equal(await statusOf(access_token), 200);
    if (proof === "token") {
      revokeToken(pat.id);
    } else {
      const grants = portero("grant", "list", "--client", memory.client.client_id);
      const active = grants.filter(({ status }) => status === "active");
      assert.equal(active.length, 1);
      portero("grant", "revoke", active[0].id);
    }
    await within(1000, async () => assert.equal(await statusOf(access_token), 401));
  });

  const again = byToken(freshToken(`mcp-remote ${era} again`).token);
  await step(`${said}: the next call is refused and waits in the browser; let in again, it is answered`, async () => {
    await log.quiet();
    const work = app.meetings();
    const url = await app.authorization();
    await shows(["POST {mcp} 401", ...DISCOVERY, "POST {mcp}/token 400", ...DISCOVERY]);
    assert.equal(memory.tokens, undefined);
    await letInAgain(app, memory, work, again);
  });

  await step(`${said}: an app that the server forgot registers again by itself and is let in again`, async () => {
    await deleteClient(memory.client.client_id, memory.tokens.access_token);
    await log.quiet();
    const work = app.meetings();
    await app.authorization();
    await shows(["POST {mcp} 401", ...DISCOVERY, "POST {mcp}/token 401", ...DISCOVERY, "POST {mcp}/register 201"]);
    await letInAgain(app, memory, work, again);
    await app.stop();
  });

  await step(`${said}: so does one that is started with nothing but a registration that is gone`, async () => {
    portero("client", "delete", memory.client.client_id);
    memory.lose("tokens");
    await log.quiet();
    const anew = new Desktop(memory, args);
    const greeting = anew.greet();
    await anew.authorization();
    // It asks before it opens the browser and registers again, but then opens none for the next ten seconds. The
    // address that it showed is good again: who registers again gets the same id.
    await log.shows((requests) => {
      const told = requests.indexOf("GET {mcp}/authorize 400");
      assert.ok(told > 0 && requests.indexOf("POST {mcp}/register 201") > told, requests.join("\n"));
    });
    await allow(anew, again);
    await greeting;
    await anew.meetings();
    await anew.stop();
  });
};

await main(async () => {
  await journey("legacy", [], "password");
  await journey("modern", ["--protocol", "auto"], "token");

  const memory = new Memory();
  const pat = freshToken("mcp-remote header");
  const app = new Desktop(memory, ["--header", `Authorization:Bearer ${pat.token}`]);
  await step("header: a personal access token goes along with every request, and nobody is asked", async () => {
    await log.quiet();
    await app.greet();
    await app.meetings();
    await log.shows((requests) => {
      assert.ok(
        requests.every((request) => !/ 401$|register|authorize|token/.test(request)),
        requests.join(),
      );
    });
    await app.stop();
  });
  console.log("  (it has no command that ends a connection: they are ended at the server)");
});
