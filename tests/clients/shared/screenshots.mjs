// The pages that people meet while they connect an app, as pictures: for eyes, not for a verdict.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createHash, randomUUID } from "node:crypto";
import { assert, Callback, demo, main, step, withBrowser } from "./support.mjs";

const { endpoint, email, password } = demo();
const origin = new URL(endpoint).origin;
const folder = process.env.SCREENSHOTS;

const register = async (callback) => {
  const response = await fetch(`${endpoint}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Cuaderno de bitácora",
      redirect_uris: [callback.url, "https://notes.example/oauth/callback"],
      token_endpoint_auth_method: "none",
    }),
  });
  assert.equal(response.status, 201);
  return (await response.json()).client_id;
};

const VERIFIER = "v".repeat(43);

/** Makes a connection of what was allowed, so that it shows. */
const redeem = async (client_id, redirect_uri, href) => {
  const response = await fetch(`${endpoint}/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: new URL(href).searchParams.get("code"),
      client_id,
      redirect_uri,
      code_verifier: VERIFIER,
    }),
  });
  assert.equal(response.status, 200);
};

const question = (client_id, redirect_uri) => {
  const url = new URL(`${endpoint}/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri,
    state: randomUUID(),
    scope: "mico:read",
    resource: endpoint,
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  });
  return url.href;
};

const LOOKS = [
  { locale: "es-ES", colorScheme: "light", width: 390 },
  { locale: "en-GB", colorScheme: "light", width: 390 },
  { locale: "es-ES", colorScheme: "dark", width: 390 },
  { locale: "en-GB", colorScheme: "dark", width: 390 },
  { locale: "en-GB", colorScheme: "light", width: 1280 },
  { locale: "es-ES", colorScheme: "dark", width: 1280 },
];

await main(async () => {
  mkdirSync(folder, { recursive: true });
  const callback = await Callback.open();
  const client = await register(callback);
  const elsewhere = "https://notes.example/oauth/callback";
  for (const { locale, colorScheme, width } of LOOKS) {
    const look = `${locale.slice(0, 2)}-${colorScheme}-${width}`;
    const options = { locale, colorScheme, viewport: { width, height: 844 }, deviceScaleFactor: width < 500 ? 2 : 1 };
    await step(`pages: ${look}`, () =>
      withBrowser(options, async (page) => {
        const shot = async (name) => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          await page.screenshot({ path: join(folder, `${look}-${name}.png`), fullPage: true });
          assert.ok(wide <= 0, `${name} is ${wide} px wider than the window`);
        };
        const errors = [];
        page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
        page.on("pageerror", (error) => errors.push(String(error)));

        await page.goto(question(client, callback.url));
        await shot("1-signed-out");
        await page.locator("#pat").fill("mico_pat_not_a_token");
        await page.locator("button[name=decision][value=allow]").click();
        await shot("2-refused-token");
        await page.locator("#email").fill(email);
        await page.locator("#password").fill(password);
        await page.locator("form[action='/login'] button.primary").click();
        await page.locator(".person").waitFor();
        await shot("3-signed-in");
        await page.goto(question(client, elsewhere));
        await page.locator("details.technical summary").click();
        await shot("4-signed-in-elsewhere");
        // The done page goes on by itself; here its destination is not there, so it can be looked at.
        await page.route("https://notes.example/**", (route) => route.abort());
        await page.route("**/authorize", async (route) => {
          const answer = await route.fetch();
          const body = (await answer.text()).replace(/<meta http-equiv="refresh"[^>]*>/, "");
          await route.fulfill({ response: answer, body });
        });
        await page.locator("button[name=decision][value=allow]").click();
        await page.locator(".outcome").waitFor();
        await shot("5-done");
        await redeem(client, elsewhere, await page.locator("a.button.primary").getAttribute("href"));
        await page.goto(question(client, elsewhere));
        await shot("6-again");
        await page.locator("button[name=decision][value=deny]").click();
        await page.locator(".outcome").waitFor();
        await shot("7-denied");
        await page.goto(`${endpoint}/authorize?client_id=nobody&response_type=code`);
        await shot("8-unknown-client");
        for (const [index, name] of ["connect", "tokens", "apps"].entries()) {
          await page.goto(`${origin}/settings/${name}`);
          await shot(`${9 + index}-settings-${name}`);
        }
        await page.goto(`${origin}/settings/tokens/new`);
        await shot("12-settings-token-new");
        const unexpected = errors.filter((text) => !/status of 40[0-9]/.test(text));
        assert.deepEqual(unexpected, []);
      }),
    );
  }
  callback.close();
});
