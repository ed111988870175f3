// What a user of the Inspector's command line does with it; a personal access token goes along as a header.

import { join } from "node:path";
import { Program } from "../shared/program.mjs";
import { assert, ownFolder, step } from "../shared/support.mjs";
import { PROMPTS, TOOLS } from "./offers.mjs";

export const useInspector = async (gateway, { node, inspector }) => {
  const home = ownFolder("inspector");
  const header = `Authorization: Bearer ${gateway.freshToken("inspector")}`;
  const always = ["--transport", "http", "--format", "json", "--connect-timeout", "60000", "--quiet"];

  /** The result of a command that has to succeed. */
  const result = async (era, ...args) => {
    const command = new Program(
      node,
      [
        join(inspector, "build/index.js"),
        ...["--cli", "--server-url", gateway.endpoint, "--protocol-era", era, "--header", header],
        ...always,
        ...args,
      ],
      { HOME: home, MCP_INSPECTOR_SECRET_STORE: "file" },
    );
    await command.ended;
    assert.equal(command.code, 0, `${command.code}: ${command.out.slice(0, 300)}\n${command.err}`);
    return JSON.parse(command.out).result;
  };
  const method = (era, name, ...args) => result(era, "--method", name, ...args);
  const call = (era, tool, ...args) =>
    method(era, "tools/call", "--tool-name", tool, ...args.flatMap((arg) => ["--tool-arg", arg]));

  for (const era of ["legacy", "auto"]) {
    await step(`the Inspector, ${era}: lists the tools`, async () => {
      const { tools } = await method(era, "tools/list");
      const names = tools.map(({ name }) => name);
      assert.deepEqual(
        TOOLS.filter((name) => !names.includes(name)),
        [],
      );
    });
    await step(`the Inspector, ${era}: echo, a sum, a picture`, async () => {
      assert.equal((await call(era, "echo", "message=hola")).content[0].text, "Echo: hola");
      assert.equal((await call(era, "get-sum", "a=2", "b=40")).content[0].text, "The sum of 2 and 40 is 42.");
      const picture = (await call(era, "get-tiny-image")).content.find(({ type }) => type === "image");
      assert.equal(picture.mimeType, "image/png");
    });
    await step(`the Inspector, ${era}: a long operation comes to its end`, async () => {
      const { content } = await call(era, "trigger-long-running-operation", "duration=1", "steps=2");
      assert.match(content[0].text, /Steps: 2/);
    });
    await step(`the Inspector, ${era}: resources and prompts`, async () => {
      const { resources } = await method(era, "resources/list");
      assert.ok(resources.some(({ uri }) => uri === "demo://resource/static/document/features.md"));
      const read = await method(era, "resources/read", "--uri", "demo://resource/dynamic/text/7");
      assert.match(read.contents[0].text, /^Resource 7: /);
      const { prompts } = await method(era, "prompts/list");
      assert.deepEqual(prompts.map(({ name }) => name).toSorted(), PROMPTS);
    });
  }
};
