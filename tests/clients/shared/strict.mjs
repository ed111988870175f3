// What an app on a plain OAuth library goes through, from the bare MCP URL to the end of its connections: once as a
// public client whose person signs in with a password, once with a secret and a pasted token. These libraries know
// nothing of MCP and take every answer by the letter of its standard.
//
// The library is handed in as a class, since it is installed in its client's own folder:
//   static issuers(url, metadata)    the issuers of the resource, whose metadata was already fetched
//   static begin(issuer, metadata)   discovery of the issuer and registration with this client metadata
//   static resume(kept), kept        the same app in another process, and what that one needs
//   issuer, client                   the server's metadata, the registration
//   question(parameters)             an authorization URL
//   answer(url), refusal(error)      the redirect, validated and turned into tokens; the code of one that says no
//   refresh(token), revoke(token), introspect(key, token)
//   request(token, message)          a protected resource request
//   challenge(error)                 the challenge of a 401 that was thrown: scheme and parameters
//   fault(error)                     status and code of an OAuth error that was thrown

import { fork } from "node:child_process";
import {
  assert,
  assertMeetings,
  Callback,
  demo,
  freshToken,
  main,
  pasteToken,
  portero,
  restart,
  revokeToken,
  signIn,
  statusOf,
  step,
  TOOLS,
  withBrowser,
  within,
} from "./support.mjs";

const PROCESSES = 3;
const message = (method, params) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** The headers of a protected resource request that is an MCP message. */
export const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

const result = async (app, method, params) => {
  const response = await app.request(app.tokens.access_token, message(method, params));
  assert.equal(response.status, 200);
  return (await response.json()).result;
};

const working = async (app) => {
  const { content, isError } = await result(app, "tools/call", { name: "list_meetings", arguments: { limit: 3 } });
  assert.equal(isError, false);
  assert.deepEqual(
    content.map(({ type }) => type),
    ["text"],
  );
  assertMeetings(JSON.parse(content[0].text));
};

const thrown = async (promise) => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
};

/** Asks the person with `consent`, and takes the redirect to the library. */
const authorize = async (app, callback, consent) => {
  callback.expect();
  const url = await app.question({ redirect_uri: callback.url, resource: demo().endpoint, scope: "mico:read" });
  await consent(url.href);
  return new URL(`${callback.url}?${await callback.received()}`);
};

const begin = async (Library, said, { method, name }, callback) => {
  const { endpoint } = demo();
  let issuer;

  await step(`${said}: the bare URL leads to the issuer`, async () => {
    const response = await fetch(endpoint, { method: "POST", headers: HEADERS, body: message("tools/list") });
    assert.equal(response.status, 401);
    const challenge = response.headers.get("www-authenticate");
    const [, metadata] = /^Bearer resource_metadata="([^"]+)", scope="mico:read"$/.exec(challenge);
    const resource = await (await fetch(metadata)).json();
    assert.equal(resource.resource, endpoint);
    [issuer] = await Library.issuers(new URL(endpoint), resource);
    assert.equal(issuer, endpoint);
  });

  let app;
  await step(`${said}: issuer and registration hold before a strict reader`, async () => {
    app = await Library.begin(new URL(issuer), {
      client_name: name,
      redirect_uris: [callback.url],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: method,
    });
    assert.equal(app.issuer.issuer, endpoint);
    assert.equal(app.issuer.authorization_response_iss_parameter_supported, true);
    assert.equal(app.client.token_endpoint_auth_method, method);
    assert.equal(typeof app.client.client_secret, method === "none" ? "undefined" : "string");
    assert.deepEqual(app.client.redirect_uris, [callback.url]);
  });
  return app;
};

const connect = async (app, said, consent, callback) => {
  await step(`${said}: a no on the page is read as one`, async () => {
    const refuse = (href) =>
      withBrowser({ locale: "en-GB" }, async (page) => {
        await page.goto(href);
        await page.locator("button[name=decision][value=deny]").first().click();
        await page.waitForURL(`${callback.url}?*`);
      });
    const url = await authorize(app, callback, refuse);
    assert.equal(app.refusal(await thrown(app.answer(url))), "access_denied");
  });

  await step(`${said}: consent, an answer with state and issuer, tokens`, async () => {
    const url = await authorize(app, callback, consent);
    assert.deepEqual([...url.searchParams.keys()].sort(), ["code", "iss", "state"]);
    app.tokens = await app.answer(url);
    const { access_token, refresh_token, token_type, expires_in, scope } = app.tokens;
    assert.match(access_token, /^mico_oat_[0-9A-Za-z]{49}$/);
    assert.match(refresh_token, /^mico_ort_[0-9A-Za-z]{49}$/);
    assert.deepEqual([token_type, expires_in, scope], ["bearer", 3600, "mico:read"]);
  });
};

const use = async (app, said) => {
  await step(`${said}: protected resource requests list the tools and call one`, async () => {
    const { tools } = await result(app, "tools/list");
    assert.deepEqual(tools.map(({ name }) => name).sort(), TOOLS);
    await working(app);
  });

  await step(`${said}: a resource server that introspects the token sees whose it is`, async () => {
    const key = portero("introspection-key", "create", "--name", said);
    const seen = await app.introspect(key, app.tokens.access_token);
    const { active, client_id, scope, token_type, iss, aud } = seen;
    assert.deepEqual([active, client_id, scope, iss], [true, app.client.client_id, "mico:read", demo().endpoint]);
    assert.deepEqual([token_type.toLowerCase(), [aud].flat()], ["bearer", [demo().endpoint]]);
    assert.deepEqual(await app.introspect(key, `${app.tokens.access_token}x`), { active: false });
    portero("introspection-key", "revoke", key.id);
  });
};

const refresh = async (app, said) => {
  await step(`${said}: a refresh gives new tokens, and the old access token lives on`, async () => {
    const before = app.tokens;
    app.tokens = await app.refresh(before.refresh_token);
    assert.notEqual(app.tokens.access_token, before.access_token);
    assert.notEqual(app.tokens.refresh_token, before.refresh_token);
    assert.equal(app.tokens.scope, "mico:read");
    await working(app);
    assert.equal(await statusOf(before.access_token), 200);
  });
};

/** Another process with the same memory: it refreshes when it is told, and works. */
const sharer = async (Library) => {
  process.once("message", async (kept) => {
    const app = await Library.resume(kept);
    process.once("message", async () => {
      app.tokens = await app.refresh(app.tokens.refresh_token);
      await working(app);
      process.send(app.tokens, () => process.exit());
    });
    process.send("ready");
  });
};

/** Runs this very program in several processes, and lets them go at once. */
const atOnce = async (kept) => {
  const next = (child) =>
    new Promise((resolve, reject) => {
      child.once("message", resolve);
      child.once("exit", (code) => reject(new Error(`a process ended with ${code}`)));
    });
  const children = Array.from({ length: PROCESSES }, () => fork(process.argv[1], ["share"]));
  try {
    children.forEach((child) => child.send(kept));
    assert.deepEqual(await Promise.all(children.map(next)), Array(PROCESSES).fill("ready"));
    const answers = Promise.all(children.map(next));
    children.forEach((child) => child.send("go"));
    return await answers;
  } finally {
    children.forEach((child) => child.kill());
  }
};

const share = async (app, said) => {
  const before = app.tokens.refresh_token;
  await step(`${said}: ${PROCESSES} processes with one refresh token refresh at once and are led to one`, async () => {
    const found = await atOnce({ ...app.kept, tokens: app.tokens });
    const live = new Set(found.map(({ refresh_token }) => refresh_token));
    assert.equal(live.size, 1);
    assert.ok(!live.has(before));
    app.tokens = await app.refresh(before);
    assert.ok(live.has(app.tokens.refresh_token), "the first process is led there too");
    app.tokens = await app.refresh(app.tokens.refresh_token);
    await working(app);
  });
};

const outlive = async (app, said) => {
  await step(`${said}: the server stops and starts again; the tokens work and refresh`, async () => {
    await restart();
    await working(app);
    app.tokens = await app.refresh(app.tokens.refresh_token);
    await working(app);
  });
};

/** What an app finds when its connection has ended, and how it gets a new one under its old name. */
const signInAgain = async (app, said, consent, callback) => {
  await step(`${said}: the next request meets a challenge, the refresh a plain no`, async () => {
    const refused = await thrown(app.request(app.tokens.access_token, message("tools/list")));
    const { scheme, parameters } = app.challenge(refused);
    assert.deepEqual([scheme, parameters.error, parameters.scope], ["bearer", "invalid_token", "mico:read"]);
    assert.match(parameters.resource_metadata, /^http/);
    assert.deepEqual(app.fault(await thrown(app.refresh(app.tokens.refresh_token))), [400, "invalid_grant"]);
  });

  await step(`${said}: the registered app signs in again`, async () => {
    app.tokens = await app.answer(await authorize(app, callback, consent));
    await working(app);
  });
};

const revoke = async (app, said) => {
  await step(`${said}: revoking its access token ends that one alone`, async () => {
    const { access_token, refresh_token } = app.tokens;
    await app.revoke(access_token);
    assert.equal(await statusOf(access_token), 401);
    app.tokens = await app.refresh(refresh_token);
    await working(app);
  });

  await step(`${said}: revoking its refresh token ends the connection`, async () => {
    await app.revoke(app.tokens.refresh_token);
    assert.equal(await statusOf(app.tokens.access_token), 401);
    // Once more is no fault, RFC 7009 section 2.2.
    await app.revoke(app.tokens.refresh_token);
  });
};

/** Goes all the way; `secret` is how the library sends one. */
export const journeys = async (Library, name, secret) => {
  if (process.argv[2] === "share") return sharer(Library);
  await main(async () => {
    const callback = await Callback.open();
    const there = async (said, metadata, consent) => {
      const app = await begin(Library, said, metadata, callback);
      await connect(app, said, consent, callback);
      await use(app, said);
      await refresh(app, said);
      await share(app, said);
      await outlive(app, said);
      return app;
    };

    const bySignIn = (href) => signIn(href, name, callback.url);
    const open = await there("public", { method: "none", name }, bySignIn);
    await revoke(open, "public");
    await signInAgain(open, "public", bySignIn, callback);

    const byToken = (pat) => (href) => pasteToken(href, pat.token, callback.url);
    const pat = freshToken(name);
    const said = secret.replaceAll("_", " ");
    const closed = await there(said, { method: secret, name }, byToken(pat));
    await step(`${said}: revoking the token that allowed it is felt within a second`, async () => {
      revokeToken(pat.id);
      await within(1000, async () => assert.equal(await statusOf(closed.tokens.access_token), 401));
    });
    await signInAgain(closed, said, byToken(freshToken(`${name} again`)), callback);
    await step("public: the other connection is untouched", () => working(open));
    callback.close();
  });
};
