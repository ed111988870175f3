// openid-client, here as a client of OAuth alone. Nothing is loosened but https, on loopback.

import * as oauth from "openid-client";
import { HEADERS, journeys } from "../shared/strict.mjs";
import { demo } from "../shared/support.mjs";

const LOOPBACK = { algorithm: "oauth2", execute: [oauth.allowInsecureRequests] };

class App {
  constructor(config, client) {
    this.config = config;
    this.client = client;
  }

  static async issuers(_, resource) {
    return resource.authorization_servers;
  }

  static async begin(issuer, metadata) {
    const config = await oauth.dynamicClientRegistration(issuer, metadata, undefined, LOOPBACK);
    return new App(config, config.clientMetadata());
  }

  static async resume({ issuer, client, tokens }) {
    const config = await oauth.discovery(new URL(issuer), client.client_id, client, undefined, LOOPBACK);
    return Object.assign(new App(config, client), { tokens });
  }

  get issuer() {
    return this.config.serverMetadata();
  }

  get kept() {
    return { issuer: this.issuer.issuer, client: { ...this.client } };
  }

  async question(parameters) {
    this.verifier = oauth.randomPKCECodeVerifier();
    this.state = oauth.randomState();
    return oauth.buildAuthorizationUrl(this.config, {
      ...parameters,
      state: this.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: "S256",
    });
  }

  answer(url) {
    const checks = { pkceCodeVerifier: this.verifier, expectedState: this.state };
    return oauth.authorizationCodeGrant(this.config, url, checks, { resource: demo().endpoint });
  }

  refusal(error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    return error.error;
  }

  refresh(token) {
    return oauth.refreshTokenGrant(this.config, token, { resource: demo().endpoint });
  }

  revoke(token) {
    return oauth.tokenRevocation(this.config, token);
  }

  async introspect({ id, secret }, token) {
    const server = await oauth.discovery(new URL(this.issuer.issuer), id, secret, undefined, LOOPBACK);
    return oauth.tokenIntrospection(server, token);
  }

  request(token, message) {
    const headers = new Headers(HEADERS);
    return oauth.fetchProtectedResource(this.config, token, new URL(demo().endpoint), "POST", message, headers);
  }

  challenge(error) {
    if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
    return error.cause[0];
  }

  fault(error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error;
    return [error.status, error.error];
  }
}

await journeys(App, "Portafolio", "client_secret_post");
