// What the clients share: steps, the server and its log, the browser, consent, the callback.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const state = process.env.CLIENTS_STATE;

/** What the demo said of itself when it was last started. */
export const demo = () => JSON.parse(readFileSync(join(state, "demo.json"), "utf8").split("\n")[0]);

/** An empty folder for what a client remembers; it goes with the run. */
export const ownFolder = (name) => mkdtempSync(join(state, `${name}-`));

/** What the demo's service offers. */
export const TOOLS = [
  "get_meeting",
  "get_meeting_transcript",
  "get_recurring_meeting_history",
  "get_shared_note",
  "list_meetings",
  "list_pending_action_items",
  "search_meetings",
  "search_shared_notes",
];

/** Asserts that these are the demo's meetings, three of them, newest first. */
export const assertMeetings = ({ meetings, pagination }) => {
  assert.equal(meetings.length, 3);
  const times = meetings.map(({ created_at }) => Date.parse(created_at));
  assert.ok(times.every(Number.isFinite), JSON.stringify(meetings[0]));
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.equal(pagination.limit, 3);
};

/** Stops the demo and starts it again on the same data and port. Meanwhile this process sees its connections end. */
export const restart = () => promisify(execFile)(process.env.DEMO, ["restart"]);

/** Runs a command beside the server and reads its JSON. */
export const portero = (...args) => {
  const text = execFileSync(process.env.PORTERO_BIN, ["--config", demo().config, ...args, "--json"], {
    encoding: "utf8",
  });
  return text.trim() === "" ? undefined : JSON.parse(text);
};

/** A personal access token of its own for one client. */
export const freshToken = (name) =>
  portero("token", "create", "--user", demo().email, "--brand", "mico", "--name", name);

/** Revokes a personal access token by its id, as its owner could, and knows that it was alive. */
export const revokeToken = (id) => {
  const listed = portero("token", "list").filter((token) => token.id === id);
  assert.deepEqual(
    listed.map(({ status }) => status),
    ["active"],
  );
  portero("token", "revoke", id);
};

/** The status that an access token gets, without a client between. */
export const statusOf = async (token) => {
  const response = await fetch(demo().endpoint, {
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

/** An operator deletes a client; as any command, it is felt within a second by the server beside it. */
export const deleteClient = async (id, token) => {
  portero("client", "delete", id);
  await within(1000, async () => assert.equal(await statusOf(token), 401));
};

const REQUEST = /request: id=\S+ address=\S+ method=(\S+) path="([^"]*)" status=(\d+) /;

/** What reached the server, read from its own log: for clients that are programs and cannot be looked into. */
export class ServerLog {
  constructor() {
    this.file = join(state, "demo.log");
    this.look();
  }

  /** Starts anew from here. */
  look() {
    this.from = statSync(this.file).size;
  }

  /** The requests since the last look, as method, path and status; the endpoint's path is written `{mcp}`. */
  requests() {
    const endpoint = new URL(demo().endpoint).pathname;
    const text = readFileSync(this.file).subarray(this.from).toString();
    return [...text.matchAll(new RegExp(REQUEST, "g"))].map(
      ([, method, path, status]) => `${method} ${path.replace(endpoint, "{mcp}")} ${status}`,
    );
  }

  /** Starts anew once everything that was sent so far is written. */
  async quiet() {
    // A request of our own marks the place.
    const mark = `/${crypto.randomUUID()}`;
    await (await fetch(new URL(mark, demo().endpoint))).arrayBuffer();
    await within(2000, () => assert.ok(this.requests().includes(`GET ${mark} 404`)));
    this.look();
  }

  /** Asserts what has arrived since the last look; the server writes its log a moment after it answers. */
  async shows(check) {
    await within(2000, () => check(this.requests()));
    this.look();
  }
}

let failed = 0;

/** One line of the report. What depends on a failed step cannot be right, so the first failure ends a journey. */
export const step = async (name, check) => {
  try {
    await check();
    console.log(`  ok ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`  FAILED ${name}\n    ${String(error?.stack ?? error).replaceAll("\n", "\n    ")}`);
    throw new Failed();
  }
};

class Failed extends Error {}

/** Runs a program to its end and says how it went by the exit code. */
export const main = async (program) => {
  try {
    await program();
  } catch (error) {
    if (!(error instanceof Failed)) {
      failed += 1;
      console.log(`  FAILED ${error?.stack ?? error}`);
    }
  }
  process.exit(failed ? 1 : 0);
};

/** A loopback server that takes the redirect, as a native app's does. */
export class Callback {
  static async open() {
    const callback = new Callback();
    callback.server = createServer((req, res) => {
      const url = new URL(req.url, callback.url);
      if (url.pathname !== "/callback") return void res.writeHead(404).end();
      res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      res.end("<!doctype html><title>Back in the app</title><p>You can close this window.");
      callback.arrived(url.searchParams);
    });
    await new Promise((resolve) => callback.server.listen(0, "127.0.0.1", resolve));
    callback.url = `http://127.0.0.1:${callback.server.address().port}/callback`;
    callback.expect();
    return callback;
  }

  /** Waits for a new redirect. */
  expect() {
    this.params = new Promise((resolve) => (this.arrived = resolve));
  }

  /** The redirect's parameters. */
  async received() {
    const late = new Promise((_, reject) =>
      setTimeout(() => reject(new Error("no redirect arrived within 20 s")), 20_000).unref(),
    );
    return Promise.race([this.params, late]);
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Gives a new browser without any history to `use`, and takes it away again. */
export const withBrowser = async (options, use) => {
  const profile = mkdtempSync(join(tmpdir(), "portero-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
    ...options,
  });
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(15_000);
    return await use(page, context);
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
};

/** Signs in on the authorization page, once wrongly, and allows, without JavaScript; ends where `back` is loaded. */
export const signIn = (href, app, back) =>
  withBrowser({ javaScriptEnabled: false, locale: "en-GB" }, async (page) => {
    await page.goto(href);
    assert.match(await page.locator("h1").innerText(), new RegExp(app));
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
    await page.waitForURL(`${back}?*`);
  });

/** Pastes a token on the authorization page, once a broken one, and allows; ends where `back` is loaded. */
export const pasteToken = (href, token, back) =>
  withBrowser({ locale: "es-ES" }, async (page) => {
    await page.goto(href);
    assert.equal(await page.locator("html").getAttribute("lang"), "es");
    const broken = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    await page.locator("#pat").fill(broken);
    await page.locator("button[name=decision][value=allow]").click();
    assert.ok(await page.getByRole("alert").isVisible());
    await page.locator("#pat").fill(token);
    await page.locator("button[name=decision][value=allow]").click();
    await page.waitForURL(`${back}?*`);
  });

/** Tries until `check` does not throw, for at most `ms`, and says how long it took. */
export const within = async (ms, check) => {
  const began = Date.now();
  for (;;) {
    try {
      await check();
      return Date.now() - began;
    } catch (error) {
      if (Date.now() - began > ms) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};

export { assert };
