// A client that is a program of its own: what it prints is waited for, and it is never left behind.

import { spawn } from "node:child_process";

const running = new Set();
process.on("exit", () => running.forEach((child) => child.kill("SIGKILL")));

/** A program that runs, what it has printed, and how it ends. */
export class Program {
  constructor(command, args, env) {
    this.out = "";
    this.err = "";
    // No window opens: the address that a program shows is opened by the test's own browser.
    this.child = spawn(command, args, { env: { ...process.env, BROWSER: "/bin/true", ...env } });
    running.add(this.child);
    this.child.stdout.on("data", (data) => (this.out += data));
    this.child.stderr.on("data", (data) => (this.err += data));
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (code) => {
        running.delete(this.child);
        this.code = code;
        resolve(code);
      });
    });
  }

  /** Waits until it says something on standard error, and gives what the pattern caught. */
  async says(pattern) {
    const began = Date.now();
    for (;;) {
      const found = pattern.exec(this.err);
      if (found) return found;
      if (this.code !== undefined || Date.now() - began > 30_000) {
        throw new Error(`no ${pattern} (ended: ${this.code})\n${this.out}\n${this.err}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** Forgets what was said so far. */
  hush() {
    this.err = "";
  }

  async stop() {
    this.child.kill("SIGTERM");
    return this.ended;
  }
}
