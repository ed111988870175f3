// The official SDKs before Inversión Consciente: the TypeScript program that its document prints, run as it is printed;
// the same SDK without a token; and the Python SDK.

import { readFileSync, writeFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { python } from "../shared/example.mjs";
import { assert, main, step } from "../shared/support.mjs";
import { PRINTED, start } from "./world.mjs";

const TOOLS = ["list_articles", "get_article", "search_articles", "my_ai_usage", "my_recent_messages"];
const PUBLIC = TOOLS.slice(0, 3);
const names = ({ tools }) => tools.map(({ name }) => name);

/** The printed program, with nothing changed but the URL; `accessToken` is what it leaves to its reader. */
const printed = async (endpoint, token) => {
  const sample = readFileSync(process.env.SAMPLE, "utf8");
  assert.ok(sample.includes(PRINTED));
  const program = new URL("printed.mjs", import.meta.url);
  const lines = [
    `const accessToken = ${JSON.stringify(token)};`,
    sample.replace(PRINTED, endpoint),
    "export { client, result, tools };",
  ];
  writeFileSync(program, lines.join("\n"));
  return import(program);
};

/** Records every request of a client, as method and status. */
const recording = () => {
  const seen = [];
  const record = async (url, init) => {
    const response = await fetch(url, init);
    seen.push(`${init?.method ?? "GET"} ${response.status}`);
    return response;
  };
  return { seen, fetch: record };
};

await main(async () => {
  const { endpoint, issuer } = await start();

  await step("V061 V062 the printed TypeScript program runs", async () => {
    const { client, result, tools } = await printed(endpoint, issuer.token("ana"));
    assert.deepEqual(names({ tools }), TOOLS);
    const { articles } = result.structuredContent;
    assert.ok(articles.length === 10 && articles.every(({ category }) => category === "IA"));
    assert.deepEqual(JSON.parse(result.content[0].text), articles);
    await client.close();
  });

  await step("V043 V063 the TypeScript SDK connects without a token and calls what is public", async () => {
    const { seen, fetch } = recording();
    const client = new Client({ name: "my-client", version: "0.1.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { fetch }));
    assert.deepEqual(names(await client.listTools()), PUBLIC);
    const found = await client.callTool({ name: "search_articles", arguments: { query: "inflacion" } });
    assert.equal(found.structuredContent.articles[0].slug, "inflacion-de-tu-casa");
    const own = await client.callTool({ name: "my_ai_usage", arguments: {} });
    assert.ok(own.isError && own._meta["mcp/www_authenticate"][0].startsWith("Bearer "));
    await client.close();
    assert.deepEqual(seen.toSorted(), ["GET 405", "POST 200", "POST 200", "POST 200", "POST 200", "POST 202"]);
  });

  await step("V047 V048 the TypeScript SDK tells an error of the protocol from one of a tool", async () => {
    const client = new Client({ name: "my-client", version: "0.1.0" });
    const headers = { Authorization: `Bearer ${issuer.token("bruno")}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers } }));
    await assert.rejects(
      client.callTool({ name: "delete_article", arguments: {} }),
      (error) => error instanceof McpError && error.code === -32602,
    );
    const result = await client.callTool({ name: "get_article", arguments: { slug: "nada" } });
    assert.ok(result.isError && result.content[0].text.includes("«nada»"), JSON.stringify(result));
    await client.close();
  });

  // Its report is its own: its lines are counted as ours are.
  assert.equal(await python({ ENDPOINT: endpoint, TOKEN: issuer.token("ana") }), 0, "the Python program's end");
});
