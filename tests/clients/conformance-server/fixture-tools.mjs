// The tools that answer by themselves.

import { setTimeout } from "node:timers/promises";
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { audio, embedded, image, moment, text } from "./fixture-content.mjs";

const nothing = fromJsonSchema({ type: "object", additionalProperties: false });

const CONTENT = {
  test_simple_text: () => [text("This is a simple text response for testing.")],
  test_image_content: () => [image()],
  test_audio_content: () => [audio()],
  test_embedded_resource: () => [
    embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
  ],
  test_multiple_content_types: () => [
    text("Multiple content types test:"),
    image(),
    embedded("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
  ],
};

/** A schema that only a reader of JSON Schema 2020-12 understands in full. */
const CONTACT = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** An argument that clients also say in a header. */
const WEATHER = {
  type: "object",
  properties: {
    region: { type: "string", description: "Which region's forecast", "x-mcp-header": "Region" },
    days: { type: "integer", description: "How many days", "x-mcp-header": "Days" },
  },
  required: ["region"],
  additionalProperties: false,
};

const log = (ctx, said) => ctx.mcpReq.log("info", said, "examinee");

const withLogging = async (ctx) => {
  await log(ctx, "Tool execution started");
  await moment();
  await log(ctx, "Tool processing data");
  await moment();
  await log(ctx, "Tool execution completed");
  return { content: [text("Said three times what it was doing.")] };
};

const withProgress = async (ctx) => {
  const { progressToken } = ctx.mcpReq._meta ?? {};
  for (const progress of [0, 50, 100]) {
    if (progress > 0) await moment();
    if (progressToken === undefined) continue;
    const params = { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` };
    await ctx.mcpReq.notify({ method: "notifications/progress", params });
  }
  return { content: [text("Came to its end by three steps.")] };
};

/** Ends its stream in the middle and answers on the one that the client opens instead. */
const withReconnection = async (ctx) => {
  ctx.http?.closeSSE?.();
  await setTimeout(300);
  return { content: [text("Answered on the stream that came after.")] };
};

/** Adds them; `changed` tells whoever listens that a list has changed. */
export const addTools = (server, changed) => {
  const add = (name, description, answer) =>
    server.registerTool(name, { description, inputSchema: nothing }, (_, ctx) => answer(ctx));

  for (const [name, content] of Object.entries(CONTENT)) {
    add(name, `Answers with the content that ${name} is named after.`, () => ({ content: content() }));
  }
  add("test_error_handling", "Always fails.", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  add("test_tool_with_logging", "Logs three times while it runs.", withLogging);
  add("test_logging_tool", "Logs three times while it runs, to whom asked for it.", withLogging);
  add("test_tool_with_progress", "Tells its progress three times while it runs.", withProgress);
  add("test_reconnection", "Closes its stream before it answers.", withReconnection);
  add("test_trigger_tool_change", "Says that the list of tools has changed.", () => {
    changed.tools();
    return { content: [text("Said so.")] };
  });
  add("test_trigger_prompt_change", "Says that the list of prompts has changed.", () => {
    changed.prompts();
    return { content: [text("Said so.")] };
  });
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Takes a contact.", inputSchema: fromJsonSchema(CONTACT) },
    (contact) => ({ content: [text(JSON.stringify(contact))] }),
  );
  server.registerTool(
    "test_forecast",
    { description: "Says a region's forecast.", inputSchema: fromJsonSchema(WEATHER) },
    ({ region, days = 1 }) => ({ content: [text(`${region}: sun for ${days} days`)] }),
  );
};
