// What the TypeScript SDKs ask a program to remember of one connection.

/** The part of an `OAuthClientProvider` that only keeps what it is given. */
export class Memory {
  clientInformation = () => this.client;
  saveClientInformation = (client) => (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens) => (this.saved = tokens);
  discoveryState = () => this.discovery;
  saveDiscoveryState = (discovery) => (this.discovery = discovery);
  saveCodeVerifier = (verifier) => (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}
