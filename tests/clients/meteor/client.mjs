// The programs that Meteor's document prints, as they are printed: an agent of one's own with the TypeScript SDK, by two
// keys; and what Codex is told to start, mcp-remote with a key in a header.

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire, register } from "node:module";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { startExample } from "../shared/example.mjs";
import { assert, main, ownFolder, step } from "../shared/support.mjs";

register("./resolve.mjs", import.meta.url);

const PRINTED = "https://api.met.meteor.com.co/api/v1/mcp";
const PROXY = join(dirname(createRequire(import.meta.url).resolve("mcp-remote/package.json")), "dist/proxy.js");
const GENERIC = ["met_search_operations", "met_describe_operation", "met_call_operation"];
const names = ({ tools }) => tools.map(({ name }) => name);
const printed = (file) => {
  const text = readFileSync(join(process.env.SAMPLES, file), "utf8");
  assert.ok(text.includes(PRINTED));
  return text;
};
const said = (result) => JSON.parse(result.content[0].text);

/** Starts the example with a person of its sample data; gives what makes keys of theirs. */
const start = async () => {
  const { base, command } = await startExample({
    name: "meteor",
    origins: ["api", "api.partners", "developers"].map((host) => `https://${host}.meteor.example`),
    worker: "http://127.0.0.1:9103",
    ready: "/.well-known/oauth-protected-resource/api/v1/mcp",
  });
  const person = ["user", "create", "--email", "ana@example.com", "--name", "Ana", "--plan", "pro"];
  command([...person, "--external-id", "ana"]);
  const key = (mode, scopes) => {
    const making = ["token", "create", "--user", "ana@example.com", "--brand", "meteor", "--name", "agente"];
    return command([...making, "--mode", mode, ...scopes.flatMap((scope) => ["--scope", scope])]).token;
  };
  return { endpoint: `${base}/api/v1/mcp`, key };
};

/** The printed program, with nothing changed but the URL; each import of it is a run of its own. */
const agent = async (endpoint, key, run) => {
  const program = new URL(`printed-${run}.mjs`, import.meta.url);
  writeFileSync(program, `${printed("sample.txt").replace(PRINTED, endpoint)}\nexport { client, tools };\n`);
  process.env.MET_API_KEY = key;
  return import(program);
};

await main(async () => {
  const { endpoint, key } = await start();

  await step("T032 T033 T034 the printed program runs, and two keys have two lists", async () => {
    const contacts = await agent(endpoint, key("live", ["contacts:read"]), "contacts");
    const flows = await agent(endpoint, key("test", ["flows:read", "flows:write"]), "flows");
    const opened = ["met_list_contacts", "met_search_contacts", "met_get_contact", "met_list_contact_conversations"];
    assert.deepEqual(names(contacts), [...opened, ...GENERIC]);
    assert.deepEqual(names(flows).slice(0, 2), ["met_list_flows", "met_get_flow"]);
    assert.equal(names(flows).length, 11 + GENERIC.length);
    for (const tool of [...contacts.tools, ...flows.tools]) {
      for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
        assert.equal(typeof tool.annotations[hint], "boolean", `${tool.name} ${hint}`);
      }
    }
    const found = await contacts.client.callTool({ name: "met_search_contacts", arguments: { search: "lucia" } });
    assert.equal(said(found).items[0].name, "Lucía Mesa");
    const refused = await flows.client.callTool({ name: "met_publish_flow", arguments: { flow_id: "flo_1" } });
    assert.ok(refused.isError && said(refused).code === "confirmation_required", JSON.stringify(refused));
    const done = { name: "met_publish_flow", arguments: { flow_id: "flo_1", confirm: true } };
    assert.equal(said(await flows.client.callTool(done)).version, 4);
    await Promise.all([contacts.client.close(), flows.client.close()]);
  });

  await step("T031 what Codex is told to start: mcp-remote with a key in a header", async () => {
    const text = printed("codex.txt").replace(PRINTED, endpoint);
    const [, list] = /^args = (\[.*\])$/m.exec(text.replace("met_live_tu_key", key("live", ["tags:read"])));
    const [yes, program, ...args] = JSON.parse(list);
    assert.deepEqual([yes, program], ["-y", "mcp-remote"]);
    const client = new Client({ name: "codex", version: "1.0.0" });
    const env = { ...process.env, MCP_REMOTE_CONFIG_DIR: ownFolder("meteor-remote") };
    // npx would install the same program first.
    const transport = new StdioClientTransport({ command: process.execPath, args: [PROXY, ...args], env, stderr: "ignore" });
    await client.connect(transport);
    assert.deepEqual(names(await client.listTools()), ["met_list_tags", ...GENERIC]);
    const tags = said(await client.callTool({ name: "met_list_tags", arguments: {} }));
    assert.equal(tags.pagination.total, 3);
    await client.close();
  });
});
