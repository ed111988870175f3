// Real OpenAPI documents, as Portero reads them: every operation's input schema has to take the calls that are shown for
// it, by another validator; what the requests are worth is for the program in Python to say, which reads the documents
// and the requests anew.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const { PORTERO_BIN, CLIENTS_STATE, PYTHON, PYTHON_PROGRAM, DOCUMENTS } = process.env;
const here = dirname(fileURLToPath(import.meta.url));
const packages = execFileSync(PYTHON, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], {
  encoding: "utf8",
}).trim();
const folder = join(CLIENTS_STATE, "openapi");
mkdirSync(folder, { recursive: true });

/** Patterns are promised to be those of ECMA-262, in Unicode mode; some are so only without it. */
const expression = (pattern) => {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return new RegExp(pattern);
  }
};
expression.code = "expression";

// Unknown formats are annotations; everything else that is not JSON Schema 2020-12 is refused.
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  code: { regExp: expression },
  validateSchema: true,
  logger: false,
  addUsedSchema: false,
});
addFormats(ajv);

/** What is wrong with an operation's schema and its calls. */
const faults = (operation, impossible) => {
  const own = (says) => `${operation.operation}: ${says}`;
  if (!ajv.validateSchema(operation.inputSchema)) return [own(`no schema: ${ajv.errorsText()}`)];
  if (operation.inputSchema.additionalProperties !== false) return [own("takes what is no argument")];
  const found = [];
  const takes = ajv.compile(operation.inputSchema);
  for (const key of ["example", "full_example"]) {
    const call = operation[key];
    if (!call !== impossible.includes(operation.operation)) found.push(own(`${key}: ${call ? "a" : "no"} call`));
    if (!call) continue;
    if (!takes(call.arguments)) found.push(own(`${key}: ${ajv.errorsText(takes.errors)}`));
    if (takes({ ...call.arguments, "no argument": 1 })) found.push(own(`${key}: takes an unknown argument`));
    for (const name of operation.inputSchema.required ?? []) {
      const { [name]: _, ...rest } = call.arguments;
      if (takes(rest)) found.push(own(`${key}: does without ${name}`));
    }
  }
  return found;
};

let failed = false;
for (const [index, document] of JSON.parse(readFileSync(DOCUMENTS, "utf8")).entries()) {
  const path = document.npm ? join(here, "node_modules", document.npm) : join(packages, document.pypi);
  const out = execFileSync(PORTERO_BIN, ["openapi", "preview", path, "--all", "--json"], { maxBuffer: 1 << 28 });
  const { operations } = JSON.parse(out);
  const found = operations.flatMap((operation) =>
    operation.unavailable ? [] : faults(operation, document.impossible ?? []),
  );
  if (operations.length !== document.operations) found.push(`${operations.length} operations`);
  for (const line of found.slice(0, 20)) console.log(`    ${line}`);
  const callable = operations.filter(({ unavailable }) => !unavailable).length;
  const says = `${document.name}: ${operations.length} operations, ${callable} callable, schemas take their calls`;
  console.log(found.length ? `  FAILED ${says}: ${found.length} do not` : `  ok ${says}`);
  failed ||= found.length > 0;
  writeFileSync(join(folder, `${index}.json`), JSON.stringify({ ...document, path, read: JSON.parse(out) }));
}
const { status } = spawnSync(PYTHON, [PYTHON_PROGRAM, folder], { stdio: "inherit" });
process.exit(failed || status !== 0 ? 1 : 0);
