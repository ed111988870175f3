// What the programs of this folder share: steps, the server, the browser, the callback.

import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const state = process.env.CLIENTS_STATE;

/** What the demo said of itself when it was last started. */
export const demo = () => JSON.parse(readFileSync(join(state, "demo.json"), "utf8").split("\n")[0]);

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
export const freshToken = (name) => portero("token", "create", "--user", demo().email, "--brand", "mico", "--name", name);

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
