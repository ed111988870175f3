// A proxy for clients that cannot send a token: it adds one to whatever passes, and holds nothing back.

import { createServer, request } from "node:http";
import { listening } from "./example.mjs";

/** What the client takes for the server's own address is said to the server as its own. */
const translated = (headers, from, to, token) => {
  const own = { ...headers, authorization: `Bearer ${token}` };
  if (own.host === from.host) own.host = to.host;
  if (own.origin === from.origin) own.origin = to.origin;
  delete own.connection;
  return own;
};

/** Stands before `endpoint`; gives the URL to be used in its place. */
export const withBearer = async (endpoint, token) => {
  const to = new URL(endpoint);
  const proxy = createServer((req, res) => {
    const headers = translated(req.headers, from, to, token);
    const { hostname, port } = to;
    const passed = request({ hostname, port, path: req.url, method: req.method, headers }, (answer) => {
      const { connection, "keep-alive": kept, ...rest } = answer.headers;
      res.writeHead(answer.statusCode, rest);
      res.flushHeaders();
      answer.pipe(res);
      answer.on("error", () => res.destroy());
    });
    passed.on("error", () => res.destroy());
    // Whoever goes away here has gone away there.
    res.on("close", () => passed.destroy());
    req.pipe(passed);
  });
  const from = new URL(to.pathname, `http://127.0.0.1:${await listening(proxy)}`);
  process.on("exit", () => proxy.close());
  return from.href;
};
