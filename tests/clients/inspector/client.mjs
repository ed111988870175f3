// The Inspector's command line: every command is a program that remembers in its user's home. Twice: once for each era
// of the protocol, and by that once for each proof of identity. Beside it, a personal access token given as a header.

import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
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

// The Inspector asks for a newer Node than Debian brings, so one is installed beside it. Its web half wants vite, which
// nothing here runs: newer ones than the held one name an optional package that cannot be had, and `npm ci` refuses.
const require = createRequire(import.meta.url);
const NODE = join(dirname(require.resolve(`node-linux-${process.arch}/package.json`)), "bin/node");
const INSPECTOR = join(dirname(require.resolve("@modelcontextprotocol/inspector/package.json")), "clients/launcher");
const APP = "MCP Inspector";
const PROCESSES = 3;

// What it ends with.
const DONE = 0;
const AUTH_REQUIRED = 3;
const TOOL_ERROR = 5;

const MEETINGS = ["--method", "tools/call", "--tool-name", "list_meetings", "--tool-arg", "limit=3"];
const LIST = ["--method", "tools/list"];

/** A port for its callback that nobody else on this machine has; its own is the same for everybody. */
const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

const said = (command) => `${command.code}: ${command.out.slice(0, 300)}\n${command.err}`;

/** A user's home, in which it remembers; and its commands. */
class Home {
  constructor(era) {
    this.era = era;
    this.folder = ownFolder("inspector");
  }

  start(args, env = {}) {
    const { endpoint } = demo();
    const always = [
      "--transport",
      "http",
      "--protocol-era",
      this.era,
      "--format",
      "json",
      "--connect-timeout",
      "60000",
    ];
    return new Program(
      NODE,
      [join(INSPECTOR, "build/index.js"), "--cli", "--server-url", endpoint, ...always, ...args],
      {
        HOME: this.folder,
        MCP_INSPECTOR_SECRET_STORE: "file",
        ...env,
      },
    );
  }
  /** Runs a command as a script would, which signs nobody in, and gives the code that it ends with and what it says. */
  async run(...args) {
    const command = this.start(["--quiet", ...args]);
    await command.ended;
    return command;
  }
  /** The result of a command that has to succeed. */
  async result(...args) {
    const command = await this.run(...args);
    assert.equal(command.code, DONE, said(command));
    return JSON.parse(command.out).result;
  }
  /** Runs a command as a person would, who is sent to the browser. */
  async ask(...args) {
    const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const command = this.start(["--callback-url", callback, ...args], { MCP_AUTO_OPEN_ENABLED: "true" });
    return { command, url: new URL((await command.says(/Please navigate to: (\S+)/))[1]) };
  }
  async meetings() {
    const { content } = await this.result("--stored-auth-only", ...MEETINGS);
    assert.equal(content.length, 1);
    assertMeetings(JSON.parse(content[0].text));
  }

  get secrets() {
    return join(this.folder, ".mcp-inspector/secrets.json");
  }
  get server() {
    return JSON.parse(readFileSync(join(this.folder, ".mcp-inspector/storage/oauth.json"), "utf8")).servers[
      demo().endpoint
    ];
  }
  get client() {
    return this.server.byIssuer[demo().endpoint].clientInformation;
  }
  /** What it remembers of tokens, which is one entry of its secrets. */
  get tokens() {
    if (!existsSync(this.secrets)) return undefined;
    const found = Object.values(JSON.parse(readFileSync(this.secrets, "utf8")).secrets);
    assert.ok(found.length <= 1, `${found.length} secrets`);
    return found.length ? JSON.parse(found[0]) : undefined;
  }
  /** As if the hour of the access token were over. */
  expire() {
    const { access_token } = this.tokens;
    const text = readFileSync(this.secrets, "utf8");
    writeFileSync(this.secrets, text.replace(access_token, `${access_token.slice(0, -1)}!`));
  }
}

const log = new ServerLog();
const shows = (expected) => log.shows((requests) => assert.deepEqual(requests, expected));

const DISCOVERY = [
  "GET {mcp}/.well-known/oauth-protected-resource 200",
  "GET /.well-known/oauth-authorization-server{mcp} 200",
];
// A call of a tool, each from a connection of its own on; it lists the tools first, of the modern era twice.
const CALLED = {
  legacy: ["POST {mcp} 200", "POST {mcp} 202", "GET {mcp} 405", "POST {mcp} 200", "POST {mcp} 200"],
  modern: ["POST {mcp} 200", "POST {mcp} 200", "POST {mcp} 200", "POST {mcp} 200"],
};

const assertTools = ({ tools }) => {
  assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS);
  assert.ok(tools.every(({ annotations, inputSchema }) => annotations.readOnlyHint && inputSchema.type === "object"));
};

/** A command that is sent to the browser, where the person allows it, and ends well. */
const allow = async ({ command, url }, consent) => {
  await consent(url.href, url.searchParams.get("redirect_uri"));
  assert.equal(await command.ended, DONE, said(command));
  assert.match(command.err, /Authorization complete/);
  return JSON.parse(command.out).result;
};

const connect = async (home, named, consent) => {
  let asked;

  await step(`${named}: a command that may not sign in says that it has to`, async () => {
    await log.quiet();
    const command = await home.run("--stored-auth-only", ...LIST);
    assert.equal(command.code, AUTH_REQUIRED, said(command));
    assert.equal(JSON.parse(command.err).error.code, "auth_required");
    await log.shows((requests) => assert.deepEqual(requests[0], "POST {mcp} 401"));
  });

  await step(`${named}: the bare URL leads to the browser`, async () => {
    await log.quiet();
    asked = await home.ask(...LIST);
    await shows(["POST {mcp} 401", ...DISCOVERY, "POST {mcp}/register 201"]);
  });

  await step(`${named}: the app is registered without a secret`, () => {
    const { client } = home;
    assert.equal(client.client_name, APP);
    assert.equal(client.client_secret, undefined);
    assert.equal(client.token_endpoint_auth_method, "none");
    assert.equal(client.application_type, "native");
    assert.equal(client.scope, "mico:read");
    assert.equal(client.issuer, demo().endpoint);
    assert.deepEqual(client.redirect_uris, [asked.url.searchParams.get("redirect_uri")]);
  });

  await step(`${named}: the authorization URL asks for the right things`, () => {
    assert.equal(asked.url.origin + asked.url.pathname, `${demo().endpoint}/authorize`);
    const params = Object.fromEntries(asked.url.searchParams);
    assert.match(params.code_challenge, /^[\w-]{43}$/);
    assert.match(params.state, /^\w{64}$/);
    delete params.code_challenge;
    delete params.state;
    assert.deepEqual(params, {
      response_type: "code",
      client_id: home.client.client_id,
      code_challenge_method: "S256",
      redirect_uri: home.client.redirect_uris[0],
      scope: "mico:read",
      resource: demo().endpoint,
    });
  });

  await step(`${named}: allowed in a browser, the command that waited lists the eight tools`, async () =>
    assertTools(await allow(asked, consent)),
  );

  await step(`${named}: what it remembers is what was granted`, () => {
    const { access_token, refresh_token, token_type, expires_in, scope } = home.tokens;
    assert.match(access_token, /^mico_oat_[0-9A-Za-z]{49}$/);
    assert.match(refresh_token, /^mico_ort_[0-9A-Za-z]{49}$/);
    assert.deepEqual([token_type, expires_in, scope], ["Bearer", 3600, "mico:read"]);
  });
};

const callTools = async (home, named) => {
  await step(`${named}: list_meetings gives meetings, newest first`, async () => {
    await log.quiet();
    await home.meetings();
    await shows(CALLED[home.era]);
  });

  await step(`${named}: a tool that is not on the list is not called`, async () => {
    const command = await home.run("--stored-auth-only", "--method", "tools/call", "--tool-name", "delete_meeting");
    assert.equal(command.code, TOOL_ERROR, said(command));
    assert.equal(JSON.parse(command.err).error.code, "tool_not_found");
  });

  await step(`${named}: two hundred calls, eight at a time, all succeed`, async () => {
    const summary = await home.result(
      "--stored-auth-only",
      ...MEETINGS,
      "--load",
      "--load-requests",
      "200",
      "--load-concurrency",
      "8",
    );
    const { requests, ok, toolErrors, errors } = summary;
    assert.deepEqual({ requests, ok, toolErrors, errors }, { requests: 200, ok: 200, toolErrors: 0, errors: 0 });
  });
};

const refresh = async (home, named) => {
  await step(`${named}: a spent access token is refreshed behind a command`, async () => {
    const before = home.tokens;
    home.expire();
    await log.quiet();
    await home.meetings();
    await shows(["POST {mcp} 401", "POST {mcp}/token 200", ...CALLED[home.era]]);
    assert.notEqual(home.tokens.access_token, before.access_token);
    assert.notEqual(home.tokens.refresh_token, before.refresh_token);
    assert.equal(await statusOf(before.access_token), 200);
  });

  await step(`${named}: --use-stored-auth refreshes before it connects`, async () => {
    const before = home.tokens;
    home.expire();
    await log.quiet();
    assertTools(await home.result("--use-stored-auth", ...LIST));
    await log.shows((requests) => assert.ok(requests.includes("POST {mcp}/token 200"), requests.join()));
    assert.notEqual(home.tokens.refresh_token, before.refresh_token);
  });

  await step(`${named}: ${PROCESSES} commands that find the token spent refresh at once, and all succeed`, async () => {
    const before = home.tokens;
    home.expire();
    await log.quiet();
    await Promise.all(Array.from({ length: PROCESSES }, () => home.meetings()));
    await log.shows((requests) => {
      const refused = requests.filter((request) => request === "POST {mcp} 401").length;
      const refreshed = requests.filter((request) => request.includes("/token "));
      assert.ok(refused >= 1 && refreshed.length === refused, requests.join());
      assert.deepEqual(new Set(refreshed), new Set(["POST {mcp}/token 200"]));
    });
    assert.notEqual(home.tokens.refresh_token, before.refresh_token);
  });

  await step(`${named}: what is remembered of it is the one live refresh token`, async () => {
    home.expire();
    await home.meetings();
  });
};

const outlive = async (home, named) => {
  await step(`${named}: calls go on after the server was stopped and started among them`, async () => {
    const steady = ["--load", "--load-duration", "6", "--load-rate", "20", "--load-concurrency", "2"];
    const calls = home.start(["--quiet", "--stored-auth-only", ...MEETINGS, ...steady]);
    await log.quiet();
    await log.shows((requests) => assert.ok(requests.filter((request) => request === "POST {mcp} 200").length > 3));
    await restart();
    log.look();
    await log.shows((requests) => assert.ok(requests.includes("POST {mcp} 200"), "no call arrived after the restart"));
    assert.equal(await calls.ended, DONE, said(calls));
    const { requests, ok, toolErrors, errors, errorMessages } = JSON.parse(calls.out).result;
    assert.deepEqual([toolErrors, ok + errors], [0, requests]);
    // Only while nobody listened.
    assert.ok(
      errorMessages.every(({ message }) => message === "fetch failed"),
      JSON.stringify(errorMessages),
    );
  });

  await step(`${named}: what it remembers still works and still refreshes`, async () => {
    await home.meetings();
    home.expire();
    await home.meetings();
  });
};

const journey = async (era, proof) => {
  const named = `${era}, ${proof}`;
  const home = new Home(era);
  const pat = freshToken(`inspector ${era}`);
  const byPassword = (href, back) => signIn(href, APP, back);
  const byToken = (token) => (href, back) => pasteToken(href, token, back);
  await connect(home, named, proof === "password" ? byPassword : byToken(pat.token));
  await callTools(home, named);
  await refresh(home, named);
  await outlive(home, named);
  const { client_id } = home.client;

  await step(`${named}: ending what it has is felt within a second`, async () => {
    const { access_token } = home.tokens;
    assert.equal(await statusOf(access_token), 200);
    if (proof === "token") {
      revokeToken(pat.id);
    } else {
      const grants = portero("grant", "list", "--client", client_id).filter(({ status }) => status === "active");
      assert.equal(grants.length, 1);
      portero("grant", "revoke", grants[0].id);
    }
    await within(1000, async () => assert.equal(await statusOf(access_token), 401));
  });

  await step(`${named}: the next command says that it has to sign in`, async () => {
    await log.quiet();
    const command = await home.run("--stored-auth-only", ...MEETINGS);
    assert.equal(command.code, AUTH_REQUIRED, said(command));
    await log.shows((requests) => assert.deepEqual(requests.slice(0, 2), ["POST {mcp} 401", "POST {mcp}/token 400"]));
  });

  const again = byToken(freshToken(`inspector ${era} again`).token);
  await step(`${named}: it is let in again under its old name`, async () => {
    assertTools(await allow(await home.ask(...LIST), again));
    assert.equal(home.client.client_id, client_id);
    await home.meetings();
  });

  await step(`${named}: --relogin forgets what it has and begins anew`, async () => {
    const before = home.tokens;
    await log.quiet();
    const asked = await home.ask("--relogin", ...LIST);
    await shows(["POST {mcp} 401", ...DISCOVERY, "POST {mcp}/register 201"]);
    assert.equal(home.client.client_id, client_id);
    assertTools(await allow(asked, again));
    assert.notEqual(home.tokens.refresh_token, before.refresh_token);
    await home.meetings();
  });

  await step(`${named}: an app that the server forgot registers again by itself and is let in again`, async () => {
    await deleteClient(client_id, home.tokens.access_token);
    await log.quiet();
    const asked = await home.ask(...LIST);
    await log.shows((requests) => {
      const refused = requests.indexOf("POST {mcp}/token 401");
      assert.ok(refused > 0 && requests.indexOf("POST {mcp}/register 201") > refused, requests.join());
    });
    assertTools(await allow(asked, again));
    await home.meetings();
  });
};

const withHeader = async () => {
  const home = new Home("auto");
  const pat = freshToken("inspector header");
  const header = ["--header", `Authorization: Bearer ${pat.token}`];

  await step("header: a personal access token goes along with every request, and nobody is asked", async () => {
    await log.quiet();
    assertTools(await home.result(...header, ...LIST));
    await log.shows((requests) => {
      assert.deepEqual(new Set(requests), new Set(["POST {mcp} 200"]));
    });
  });

  await step("header: once the token is revoked, the command is refused", async () => {
    revokeToken(pat.id);
    await within(1000, async () => assert.equal(await statusOf(pat.token), 401));
    const command = await home.run("--stored-auth-only", ...header, ...LIST);
    assert.equal(command.code, AUTH_REQUIRED, said(command));
  });
};

await main(async () => {
  await journey("legacy", "password");
  await journey("modern", "token");
  await withHeader();
  console.log("  (it keeps no connection between commands: a restart is tried among the calls of one command)");
  console.log("  (its --relogin revokes nothing at the server: it does not keep where that would be done)");
});
