// An example on this machine: its own configuration and worker, with nothing changed but where they are.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { ownFolder, within } from "./support.mjs";

/** Lets a server listen anywhere on this machine. */
export const listening = async (server) => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
};

/** A port that was free a moment ago. */
export const freePort = async () => {
  const server = createServer();
  const port = await listening(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** The example's configuration with other words in the place of some of its own, each of which it has to have. */
const configure = (folder, changes) => {
  const example = process.env.EXAMPLE;
  let toml = readFileSync(join(example, "portero.toml"), "utf8");
  for (const [own, here] of changes) {
    assert.ok(toml.includes(own), `the example no longer says ${own}`);
    toml = toml.replaceAll(own, here);
  }
  const file = join(folder, "portero.toml");
  writeFileSync(file, toml);
  const beside = readdirSync(example).filter((name) => /\.(json|yaml)$/.test(name));
  for (const name of beside) copyFileSync(join(example, name), join(folder, name));
  return file;
};

/**
 * Starts what stands behind the server, waits for it, then the server, and waits for that. All of it ends with this
 * process. What is given back runs the program beside the server.
 */
export const launch = async (config, behind, { worker, server }) => {
  const log = createWriteStream(join(process.env.CLIENTS_STATE, "demo.log"), { flags: "a" });
  await new Promise((resolve) => log.once("open", resolve));
  const start = ([program, ...args], env = {}) => {
    const child = spawn(program, args, { stdio: ["ignore", log, log], env: { ...process.env, ...env } });
    process.on("exit", () => child.kill());
    return child;
  };
  // Not everything that listens has a page of its own.
  const listens = async (url) => assert.ok((await fetch(url)).status < 500);
  const ready = async (url) => assert.equal((await fetch(url)).status, 200);
  for (const { program, env } of behind) start(program, env);
  await within(20_000, () => listens(worker));
  const portero = start([process.env.PORTERO_BIN, "--config", config, "serve"]);
  await within(20_000, () => ready(server));
  const command = (args, input) => {
    const text = execFileSync(process.env.PORTERO_BIN, ["--config", config, "--json", ...args], {
      encoding: "utf8",
      input,
    });
    return text.trim() === "" ? undefined : JSON.parse(text);
  };
  return { command, pid: portero.pid };
};

/**
 * Starts an example and its worker, and waits for both. What was started ends with this process. `command` runs the
 * program beside the server.
 */
export const startExample = async ({ name, origins, worker, ready, more = [] }) => {
  const folder = ownFolder(name);
  const [port, workerPort] = [await freePort(), await freePort()];
  const base = `http://127.0.0.1:${port}`;
  const config = configure(folder, [
    ...[origins].flat().map((origin) => [origin, base]),
    ['listen = "127.0.0.1:8080"', `listen = "127.0.0.1:${port}"`],
    ['admin_listen = "127.0.0.1:9090"', 'admin_listen = "127.0.0.1:0"'],
    [worker, `http://127.0.0.1:${workerPort}`],
    ...more,
  ]);
  const beside = join(dirname(process.env.PORTERO_BIN), `examples/${name}-worker`);
  const program = [beside, "--listen", `127.0.0.1:${workerPort}`];
  const { command } = await launch(config, [{ program }], {
    worker: `http://127.0.0.1:${workerPort}/healthz`,
    server: `${base}${ready}`,
  });
  return { base, command };
};

/** Runs the Python program beside the server, whose end is this process's. */
export const python = (env) =>
  new Promise((resolve, reject) => {
    const options = { stdio: "inherit", env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env } };
    const program = spawn(process.env.PYTHON, [process.env.PYTHON_PROGRAM], options);
    program.once("error", reject);
    program.once("exit", resolve);
  });
