// Inversión Consciente on this machine: the example's own configuration and worker, and an issuer of tokens that stands
// in for the company's.

import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import { listening, startExample } from "../shared/example.mjs";

/** The URL that the document prints. */
export const PRINTED = "https://www.xn--inversinconsciente-w1b.com/mcp";

/** Serves a public key, and signs what its holder may be called. */
class Issuer {
  static async open() {
    const issuer = new Issuer();
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = { ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" };
    issuer.key = privateKey;
    issuer.server = createServer((_, res) => {
      res.writeHead(200, { "content-type": "application/json" });
      res.end(JSON.stringify({ keys: [key] }));
    });
    issuer.url = `http://127.0.0.1:${await listening(issuer.server)}/auth/v1`;
    return issuer;
  }

  /** Somebody's token, good for an hour. */
  token(sub) {
    const now = Math.floor(Date.now() / 1000);
    const head = { alg: "ES256", kid: "one", typ: "JWT" };
    const claims = { iss: this.url, sub, aud: "authenticated", role: "authenticated", iat: now, exp: now + 3600 };
    const text = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(text), { key: this.key, dsaEncoding: "ieee-p1363" });
    return `${text}.${signature.toString("base64url")}`;
  }
}

/** Starts everything. What it started ends with this process. */
export const start = async () => {
  const issuer = await Issuer.open();
  const { base } = await startExample({
    name: "inversion-consciente",
    origins: new URL(PRINTED).origin,
    worker: "http://127.0.0.1:9102",
    ready: "/mcp-manifest.json",
    more: [["https://ref.supabase.co/auth/v1", issuer.url]],
  });
  return { endpoint: `${base}/mcp`, issuer };
};
