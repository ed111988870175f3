// Inversión Consciente on this machine: the example's own configuration and worker, and an issuer of tokens that stands
// in for the company's.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { copyFileSync, createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { ownFolder, within } from "../shared/support.mjs";

const EXAMPLE = process.env.EXAMPLE;
const WORKER = join(dirname(process.env.PORTERO_BIN), "examples/inversion-consciente-worker");
/** The URL that the document prints. */
export const PRINTED = "https://www.xn--inversinconsciente-w1b.com/mcp";

const listening = async (server) => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
};

const freePort = async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Serves a public key, and signs what its holder may be called. */
class Issuer {
  static async open() {
    const issuer = new Issuer();
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = { ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" };
    issuer.key = privateKey;
    issuer.server = createServer((_, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify({ keys: [key] }));
    });
    issuer.url = `http://127.0.0.1:${await listening(issuer.server)}/auth/v1`;
    return issuer;
  }

  /** Somebody's token, good for an hour. */
  token(sub) {
    const now = Math.floor(Date.now() / 1000);
    const head = { alg: "ES256", kid: "one", typ: "JWT" };
    const claims = { iss: this.url, sub, aud: "authenticated", role: "authenticated", iat: now, exp: now + 3600 };
    const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(text), { key: this.key, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }
}

/** The example's configuration with this machine's URLs, and nothing else changed. */
const configure = (folder, urls) => {
  let toml = readFileSync(join(EXAMPLE, "portero.toml"), "utf8");
  for (const [own, here] of urls) {
    assert.ok(toml.includes(own), `the example no longer says ${own}`);
    toml = toml.replaceAll(own, here);
  }
  const file = join(folder, "portero.toml");
  writeFileSync(file, toml);
  const catalog = "inversion-consciente-tools.json";
  copyFileSync(join(EXAMPLE, catalog), join(folder, catalog));
  return file;
};

/** Starts everything. What it started ends with this process. */
export const start = async () => {
  const folder = ownFolder("inversion-consciente");
  const issuer = await Issuer.open();
  const [port, workerPort] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const config = configure(folder, [
    [new URL(PRINTED).origin, base],
    ["https://ref.supabase.co/auth/v1", issuer.url],
    ['listen = "127.0.0.1:8080"', `listen = "127.0.0.1:${port}"`],
    ['admin_listen = "127.0.0.1:9090"', 'admin_listen = "127.0.0.1:0"'],
    ["http://127.0.0.1:9102", `http://127.0.0.1:${workerPort}`],
  ]);
  const log = createWriteStream(join(process.env.CLIENTS_STATE, "demo.log"), { flags: "a" });
  await new Promise((resolve) => log.once("open", resolve));
  const programs = [
    spawn(WORKER, ["--listen", `127.0.0.1:${workerPort}`], { stdio: ["ignore", log, log] }),
    spawn(process.env.PORTERO_BIN, ["--config", config, "serve"], { stdio: ["ignore", log, log] }),
  ];
  process.on("exit", () => programs.forEach((program) => program.kill()));
  const answers = async (url, status) => assert.equal((await fetch(url)).status, status);
  await within(20_000, () => answers(`http://127.0.0.1:${workerPort}/healthz`, 200));
  await within(20_000, () => answers(`${base}/mcp-manifest.json`, 200));
  return { endpoint: `${base}/mcp`, issuer };
};
