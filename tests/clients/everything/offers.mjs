// What server-everything offers.

/** Whoever asks. */
export const TOOLS = [
  "echo",
  "get-annotated-message",
  "get-env",
  "get-resource-links",
  "get-resource-reference",
  "get-structured-content",
  "get-sum",
  "get-tiny-image",
  "gzip-file-as-resource",
  "simulate-research-query",
  "toggle-simulated-logging",
  "toggle-subscriber-updates",
  "trigger-long-running-operation",
];

/** What asks something: on the list for everybody, of use to clients that can be asked. */
export const ASKING = [
  "get-roots-list",
  "trigger-elicitation-request",
  "trigger-sampling-request",
  "trigger-url-elicitation",
];

export const PROMPTS = ["args-prompt", "completable-prompt", "resource-prompt", "simple-prompt"];
