// The protocol's own conformance suite against a server, once before it and once through the gateway: the gateway may
// make no difference but the ones that `scenarios.txt` gives a reason for. Each revision's suite in full.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withBearer } from "../shared/bearer.mjs";
import { startGateway } from "../shared/gateway.mjs";
import { assert, main, step } from "../shared/support.mjs";

const module = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
// The suite wants a newer Node than the other clients may find.
const NODE = module(`node-linux-${process.arch}/bin/node`);
const SUITE = module("@modelcontextprotocol/conformance/dist/index.js");
const FIXTURE = fileURLToPath(new URL("fixture.mjs", import.meta.url));
const SCENARIOS = process.env.SCENARIOS;
const GOOD = new Set(["SUCCESS", "INFO", "SKIPPED"]);

/** The scenarios of each revision, and single checks as `scenario/check`; what cannot hold, with the reason. */
const known = () => {
  const revisions = new Map();
  for (const line of readFileSync(SCENARIOS, "utf8").split("\n")) {
    const [, revision, scenario, , reason] = /^(\S+) ([^ |]+)( \| (.+))?$/.exec(line) ?? [];
    if (revision === undefined || line.startsWith("#")) continue;
    if (!revisions.has(revision)) revisions.set(revision, new Map());
    revisions.get(revision).set(scenario, reason);
  }
  return revisions;
};

/** Runs every scenario of a revision to its end; the checks by scenario. */
const examine = async (url, revision) => {
  const folder = mkdtempSync(join(process.env.CLIENTS_STATE, `conformance-${revision}-`));
  const args = [SUITE, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
  const suite = spawn(NODE, args, { stdio: ["ignore", "ignore", "inherit"] });
  await new Promise((resolve, reject) => suite.once("error", reject).once("close", resolve));
  const checks = new Map();
  for (const name of readdirSync(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d{2}-\d{2}T[^T]*Z$/.exec(name);
    checks.set(scenario, JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")));
  }
  return checks;
};

const faults = (checks) => checks.filter(({ status }) => !GOOD.has(status));
const passes = (checks) => checks.some(({ status }) => status === "SUCCESS") && faults(checks).length === 0;
const shown = (checks) =>
  faults(checks)
    .map(({ id, status, errorMessage }) => `${status} ${id}: ${errorMessage}`)
    .join("\n");
/** What was checked and held, without what is only said beside it. */
const held = (checks) =>
  checks
    .filter(({ status }) => status === "SUCCESS")
    .map(({ id }) => id)
    .toSorted();

/** A failure is said, and the next one looked for. */
const attempt = (name, check) => step(name, check).catch(() => {});

const judge = async (revision, expected, bare, through) => {
  const single = [...expected.keys()].filter((name) => name.includes("/"));
  const scenarios = [...expected].filter(([name]) => !name.includes("/"));
  await attempt(`${revision}: the scenarios are the ones that are known`, () => {
    const names = scenarios.map(([name]) => name).toSorted();
    assert.deepEqual([...through.keys()].toSorted(), names);
    assert.deepEqual([...bare.keys()].toSorted(), names);
  });
  for (const [scenario, reason] of scenarios) {
    const checks = through.get(scenario) ?? [];
    if (reason) {
      await attempt(`${revision}: ${scenario} is left out: ${reason}`, () =>
        assert.ok(!passes(checks), "it passes: it is to be left out no longer"),
      );
      continue;
    }
    await attempt(`${revision}: ${scenario}`, () => {
      assert.ok(passes(bare.get(scenario) ?? []), `without the gateway:\n${shown(bare.get(scenario) ?? [])}`);
      assert.ok(passes(checks), shown(checks));
      const wanted = held(bare.get(scenario)).filter((check) => !single.includes(`${scenario}/${check}`));
      assert.deepEqual(held(checks), wanted, "not the checks that hold without the gateway");
    });
  }
};

await main(async () => {
  const gateway = await startGateway({
    name: "conformance-server",
    program: (port) => [process.execPath, FIXTURE, String(port)],
  });
  const url = await withBearer(gateway.endpoint, gateway.freshToken("conformance suite"));
  for (const [revision, expected] of known()) {
    const bare = await examine(gateway.server, revision);
    await judge(revision, expected, bare, await examine(url, revision));
  }
});
