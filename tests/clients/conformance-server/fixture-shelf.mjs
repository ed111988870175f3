// Resources and prompts.

import { completable, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";
import { embedded, image, PNG, text } from "./fixture-content.mjs";

const addResources = (server) => {
  const add = (name, uri, description, mimeType, contents) =>
    server.registerResource(name, uri, { description, mimeType }, () => ({ contents: [{ uri, mimeType, ...contents }] }));

  add("static-text", "test://static-text", "A text that stays.", "text/plain", {
    text: "This is the content of the static text resource.",
  });
  add("static-binary", "test://static-binary", "A picture that stays.", "image/png", { blob: PNG });
  add("watched-resource", "test://watched-resource", "A text to be watched.", "text/plain", { text: "Watched." });

  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "The data of an id.", mimeType: "application/json" },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
        },
      ],
    }),
  );
};

const WORDS = ["paris", "park", "party", "testing"];
const user = (...contents) => ({ messages: contents.map((content) => ({ role: "user", content })) });

const addPrompts = (server) => {
  server.registerPrompt("test_simple_prompt", { description: "Takes nothing." }, () =>
    user(text("This is a simple prompt for testing.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "Takes two words.",
      argsSchema: z.object({
        arg1: completable(z.string().describe("First test argument"), (begun) =>
          WORDS.filter((word) => word.startsWith(begun)),
        ),
        arg2: z.string().describe("Second test argument"),
      }),
    },
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "Takes the URI of a resource.",
      argsSchema: z.object({ resourceUri: z.string().describe("URI of the resource to embed") }),
    },
    ({ resourceUri }) =>
      user(
        embedded(resourceUri, "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows a picture." }, () =>
    user(image(), text("Please analyze the image above.")),
  );
};

export const addShelf = (server) => {
  addResources(server);
  addPrompts(server);
};
