// The protocol's own conformance suite against the authorization server: every scenario of that kind in one run. It
// wants a registered client and somebody who opens the address that it prints; here a browser does, without JavaScript.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { assert, demo, main, signIn, step } from "../shared/support.mjs";

const { endpoint } = demo();
const NAME = "Examinador";
const module = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
// It wants a newer Node than the other clients may find.
const NODE = module(`node-linux-${process.arch}/bin/node`);
const SUITE = module("@modelcontextprotocol/conformance/dist/index.js");

/** A port that was free a moment ago. */
const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const register = async (redirect) => {
  const response = await fetch(`${endpoint}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: NAME, redirect_uris: [redirect], token_endpoint_auth_method: "none" }),
  });
  assert.equal(response.status, 201);
  return (await response.json()).client_id;
};

/** Runs the suite to its end, and consents where it asks; what it printed, and how it ended. */
const examine = async (client_id, port, folder) => {
  const options = { url: endpoint, "client-id": client_id, resource: endpoint, port, "output-dir": folder };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const suite = spawn(NODE, [SUITE, "authorization", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve, reject) => suite.once("error", reject).once("close", resolve));
  try {
    const said = [];
    for await (const line of createInterface({ input: suite.stdout })) {
      said.push(line);
      if (line.startsWith(`${endpoint}/authorize?`)) await signIn(line, NAME, `http://127.0.0.1:${port}/callback`);
    }
    return { code: await ended, said: said.join("\n") };
  } finally {
    suite.kill();
  }
};

/** The checks of every scenario, by their ids. */
const results = (folder) =>
  Object.fromEntries(
    readdirSync(folder)
      .flatMap((name) => JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")))
      .map((check) => [check.id, check]),
  );

await main(async () => {
  const port = await freePort();
  const folder = mkdtempSync(join(process.env.CLIENTS_STATE, "conformance-"));
  let checks;
  await step("the suite comes to its end", async () => {
    const { code, said } = await examine(await register(`http://127.0.0.1:${port}/callback`), port, folder);
    assert.equal(code, 0, said);
    checks = results(folder);
  });

  // What is not offered is a warning of the suite's; it has to hold as soon as it is offered.
  const { origin, pathname } = new URL(endpoint);
  const metadata = await (await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`)).json();
  const offered = metadata.client_id_metadata_document_supported === true;
  const expected = {
    "authorization-server-metadata": "SUCCESS",
    "authorization-server-metadata-cimd": offered ? "SUCCESS" : "WARNING",
    "authorization-code-grant": "SUCCESS",
  };
  await step("it made the checks that are known", () => {
    assert.deepEqual(Object.keys(checks).sort(), Object.keys(expected).sort());
  });
  for (const [id, status] of Object.entries(expected)) {
    const { status: found, errorMessage } = checks[id];
    await step(`${id}: ${status.toLowerCase()}`, () => assert.equal(found, status, errorMessage));
  }
});
