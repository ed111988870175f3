// The tools that ask the client something before they answer. They are written once: to clients of the new era they
// answer with what they need, for those of the old one the SDK asks on their behalf.

import { fromJsonSchema, inputRequired, inputResponse, acceptedContent } from "@modelcontextprotocol/server";
import { text } from "./fixture-content.mjs";

const nothing = fromJsonSchema({ type: "object", additionalProperties: false });
const oneText = (name, description) =>
  fromJsonSchema({ type: "object", properties: { [name]: { type: "string", description } }, required: [name] });

const form = (message, properties, required = Object.keys(properties)) =>
  inputRequired.elicit({ mode: "form", message, requestedSchema: { type: "object", properties, required } });
const question = (asked, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(asked) }], maxTokens });

const askName = (message = "What is your name?") => form(message, { name: { type: "string" } });
const askConfirmation = () => form("Please confirm", { ok: { type: "boolean" } });

const said = (words) => ({ content: [text(words)] });
const answers = (ctx) => ctx.mcpReq.inputResponses;

/** The text that a model answered with, if it did. */
const modelText = (ctx, key) => {
  const answer = inputResponse(answers(ctx), key);
  return answer.kind === "sampling" ? answer.result.content.text : undefined;
};

const greet = (ctx) => {
  const { name } = acceptedContent(answers(ctx), "user_name") ?? {};
  return typeof name === "string" ? said(`Hello, ${name}!`) : inputRequired({ inputRequests: { user_name: askName() } });
};

const askModel = (ctx) => {
  const answer = modelText(ctx, "capital_question");
  if (answer !== undefined) return said(answer);
  return inputRequired({ inputRequests: { capital_question: question("What is the capital of France?") } });
};

const askRoots = (ctx) => {
  const answer = inputResponse(answers(ctx), "client_roots");
  if (answer.kind === "roots") return said(`Roots: ${answer.roots.map(({ uri }) => uri).join(", ")}`);
  return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
};

/** Confirmed with the state that it gave out itself; another's is refused before it comes here. */
const confirm = (states) => async (ctx) => {
  const state = ctx.mcpReq.requestState();
  const { ok } = acceptedContent(answers(ctx), "confirm") ?? {};
  if (state?.asked === "confirm" && ok !== undefined) return said("state-ok");
  return inputRequired({
    inputRequests: { confirm: askConfirmation() },
    requestState: await states.mint({ asked: "confirm" }),
  });
};

const askEverything = (states) => async (ctx) => {
  const { name } = acceptedContent(answers(ctx), "user_name") ?? {};
  const greeting = modelText(ctx, "greeting");
  const roots = inputResponse(answers(ctx), "client_roots");
  if (name !== undefined && greeting !== undefined && roots.kind === "roots") {
    return said(`${greeting} ${name} has ${roots.roots.length} roots.`);
  }
  return inputRequired({
    inputRequests: {
      user_name: askName(),
      greeting: question("Generate a greeting", 50),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await states.mint({ asked: "everything" }),
  });
};

const askTwice = (states) => async (ctx) => {
  const state = ctx.mcpReq.requestState() ?? {};
  const { name } = acceptedContent(answers(ctx), "step1") ?? {};
  const { color } = acceptedContent(answers(ctx), "step2") ?? {};
  if (state.name !== undefined && color !== undefined) return said(`${state.name} likes ${color}.`);
  if (name !== undefined) {
    return inputRequired({
      inputRequests: { step2: form("Step 2: What is your favorite color?", { color: { type: "string" } }) },
      requestState: await states.mint({ name }),
    });
  }
  return inputRequired({
    inputRequests: { step1: askName("Step 1: What is your name?") },
    requestState: await states.mint({}),
  });
};

/** Asks only what the client of this request can answer. */
const askWhatCanBeAnswered = (ctx) => {
  const can = ctx.mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? {};
  const asked = {
    ...(can.elicitation && { user_name: askName() }),
    ...(can.sampling && { greeting: question("Generate a greeting", 50) }),
    ...(can.roots && { client_roots: inputRequired.listRoots() }),
  };
  const answered = Object.keys(answers(ctx) ?? {}).some((key) => key in asked);
  if (answered || Object.keys(asked).length === 0) return said("Asked what could be answered.");
  return inputRequired({ inputRequests: asked });
};

/** Needs a model whatever the client can do; the SDK refuses it for one that has none. */
const needModel = (ctx) => {
  const answer = modelText(ctx, "thought");
  return answer === undefined ? inputRequired({ inputRequests: { thought: question("Think") } }) : said(answer);
};

/** Tells its progress before it asks, so that a stream is open by then. */
const askInStream = async (ctx) => {
  const { progressToken = "none" } = ctx.mcpReq._meta ?? {};
  await ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
  return greet(ctx);
};

/** The tools that the newer suite calls. */
const addModern = (server, states) => {
  const add = (name, description, answer) =>
    server.registerTool(name, { description, inputSchema: nothing }, (_, ctx) => answer(ctx));
  const asking = "test_input_required_result";

  add(`${asking}_elicitation`, "Asks for a name and greets.", greet);
  add(`${asking}_sampling`, "Asks the client's model for a capital.", askModel);
  add(`${asking}_list_roots`, "Asks for the client's roots.", askRoots);
  add(`${asking}_request_state`, "Asks for a confirmation and knows its own state again.", confirm(states));
  add(`${asking}_tampered_state`, "Asks for a confirmation and takes no state but its own.", confirm(states));
  add(`${asking}_multiple_inputs`, "Asks for a name, a greeting and the roots at once.", askEverything(states));
  add(`${asking}_multi_round`, "Asks for a name, then for a color.", askTwice(states));
  add(`${asking}_capabilities`, "Asks what the client can answer.", askWhatCanBeAnswered);
  add("test_missing_capability", "Cannot answer without the client's model.", needModel);
  add("test_streaming_elicitation", "Asks for a name in the middle of a stream.", askInStream);
  addPrompt(server);
};

const addPrompt = (server) =>
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks in which context it shall be used." },
    (ctx) => {
      const { context } = acceptedContent(answers(ctx), "user_context") ?? {};
      if (context !== undefined) return { messages: [{ role: "user", content: text(`In the context of ${context}`) }] };
      const asked = form("What context should the prompt use?", { context: { type: "string" } });
      return inputRequired({ inputRequests: { user_context: asked } });
    },
  );

const DEFAULTS = {
  name: { type: "string", default: "John Doe" },
  age: { type: "integer", default: 30 },
  score: { type: "number", default: 95.5 },
  status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
  verified: { type: "boolean", default: true },
};

const titled = (titles) => titles.map((title, at) => ({ const: `value${at + 1}`, title }));
const OPTIONS = ["option1", "option2", "option3"];
const CHOICES = {
  untitledSingle: { type: "string", enum: OPTIONS },
  titledSingle: { type: "string", oneOf: titled(["First Option", "Second Option", "Third Option"]) },
  legacyEnum: {
    type: "string",
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
  titledMulti: { type: "array", items: { anyOf: titled(["First Choice", "Second Choice", "Third Choice"]) } },
};

/** The tools that the older suite calls. */
const addLegacy = (server) => {
  const outcome = (words, ctx) => {
    const { action, content = {} } = inputResponse(answers(ctx), "asked");
    return said(`${words}: action=${action}, content=${JSON.stringify(content)}`);
  };
  const asked = (ctx) => inputResponse(answers(ctx), "asked").kind !== "missing";
  const add = (name, description, inputSchema, ask, answer) =>
    server.registerTool(name, { description, inputSchema }, (args, ctx) =>
      asked(ctx) ? answer(ctx) : inputRequired({ inputRequests: { asked: ask(args) } }),
    );

  add(
    "test_sampling",
    "Asks the client's model.",
    oneText("prompt", "What to ask"),
    ({ prompt }) => question(prompt),
    (ctx) => said(`LLM response: ${modelText(ctx, "asked")}`),
  );
  add(
    "test_elicitation",
    "Asks the person.",
    oneText("message", "What to say"),
    ({ message }) =>
      form(message, {
        username: { type: "string", description: "User's response" },
        email: { type: "string", description: "User's email address" },
      }),
    (ctx) => outcome("User response", ctx),
  );
  add(
    "test_elicitation_sep1034_defaults",
    "Asks with values that are there already.",
    nothing,
    () => form("Please look through it", DEFAULTS, []),
    (ctx) => outcome("Elicitation completed", ctx),
  );
  add(
    "test_elicitation_sep1330_enums",
    "Asks for choices of every kind.",
    nothing,
    () => form("Please choose", CHOICES, []),
    (ctx) => outcome("Elicitation completed", ctx),
  );
};

export const addAskingTools = (server, states) => {
  addModern(server, states);
  addLegacy(server);
};
