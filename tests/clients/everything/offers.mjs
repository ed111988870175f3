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

/** Clients that can be asked for forms, models and roots. */
export const ASKING = ["get-roots-list", "trigger-elicitation-request", "trigger-sampling-request"];

export const PROMPTS = ["args-prompt", "completable-prompt", "resource-prompt", "simple-prompt"];
