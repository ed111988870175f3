// One assertion, checked by what the page has for TypeScript. SHIFT moves the clock, in seconds.
import { readFileSync } from "node:fs";

const shift = Number(process.env.SHIFT) * 1000;
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) {
    super(...(args.length ? args : [Real.now() + shift]));
  }
  static now() {
    return Real.now() + shift;
  }
};
const { verify } = await import(process.env.VERIFY);
const { assertion, tool, body } = JSON.parse(readFileSync(0, "utf8"));
try {
  console.log(JSON.stringify(await verify(assertion, tool, Buffer.from(body, "base64"))));
} catch (error) {
  console.error(`${error.code ?? ""} ${error.message}`);
  process.exit(3);
}
