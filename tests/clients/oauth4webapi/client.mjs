// oauth4webapi, which validates each answer by the letter. Nothing is loosened but https, on loopback.

import * as oauth from "oauth4webapi";
import { HEADERS, journeys } from "../shared/strict.mjs";
import { demo } from "../shared/support.mjs";

const LOOPBACK = { [oauth.allowInsecureRequests]: true };

class App {
  constructor(issuer, client) {
    this.issuer = issuer;
    this.client = client;
    this.proof = client.client_secret ? oauth.ClientSecretBasic(client.client_secret) : oauth.None();
  }

  /** The issuers that the resource names, by the library's own reading of RFC 9728. */
  static async issuers(resource) {
    const response = await oauth.resourceDiscoveryRequest(resource, LOOPBACK);
    return (await oauth.processResourceDiscoveryResponse(resource, response)).authorization_servers;
  }

  static async discover(issuer) {
    const response = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...LOOPBACK });
    return oauth.processDiscoveryResponse(issuer, response);
  }

  static async begin(issuer, metadata) {
    const server = await App.discover(issuer);
    const response = await oauth.dynamicClientRegistrationRequest(server, metadata, LOOPBACK);
    return new App(server, await oauth.processDynamicClientRegistrationResponse(response));
  }

  static async resume({ issuer, client, tokens }) {
    return Object.assign(new App(await App.discover(new URL(issuer)), client), { tokens });
  }

  get kept() {
    return { issuer: this.issuer.issuer, client: this.client };
  }

  async question(parameters) {
    this.redirect = parameters.redirect_uri;
    this.verifier = oauth.generateRandomCodeVerifier();
    this.state = oauth.generateRandomState();
    const url = new URL(this.issuer.authorization_endpoint);
    url.search = new URLSearchParams({
      ...parameters,
      response_type: "code",
      client_id: this.client.client_id,
      state: this.state,
      code_challenge: await oauth.calculatePKCECodeChallenge(this.verifier),
      code_challenge_method: "S256",
    });
    return url;
  }

  async answer(url) {
    const { issuer, client, proof } = this;
    const callback = oauth.validateAuthResponse(issuer, client, url, this.state);
    const response = await oauth.authorizationCodeGrantRequest(
      issuer,
      client,
      proof,
      callback,
      this.redirect,
      this.verifier,
      { additionalParameters: { resource: demo().endpoint }, ...LOOPBACK },
    );
    return oauth.processAuthorizationCodeResponse(issuer, client, response);
  }

  refusal(error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    return error.error;
  }

  async refresh(token) {
    const { issuer, client, proof } = this;
    const response = await oauth.refreshTokenGrantRequest(issuer, client, proof, token, LOOPBACK);
    return oauth.processRefreshTokenResponse(issuer, client, response);
  }

  async revoke(token) {
    const response = await oauth.revocationRequest(this.issuer, this.client, this.proof, token, LOOPBACK);
    return oauth.processRevocationResponse(response);
  }

  async introspect({ id, secret }, token) {
    const server = { client_id: id };
    const proof = oauth.ClientSecretBasic(secret);
    const response = await oauth.introspectionRequest(this.issuer, server, proof, token, LOOPBACK);
    return oauth.processIntrospectionResponse(this.issuer, server, response);
  }

  request(token, message) {
    const headers = new Headers(HEADERS);
    return oauth.protectedResourceRequest(token, "POST", new URL(demo().endpoint), headers, message, LOOPBACK);
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

await journeys(App, "Portavoz", "client_secret_basic");
