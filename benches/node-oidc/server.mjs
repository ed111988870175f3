// The peer of S6 and S7: node-oidc-provider, set up to do what Portero does, on the same PostgreSQL.
//
// Opaque access tokens for one resource, code + PKCE for one public client, refresh tokens that rotate at every use,
// introspection for one resource server. Whoever comes is signed in and has consented: only tokens are measured.
// PORT and PG_URL come from the environment.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import * as oidc from 'oidc-provider';
import pg from 'pg';

const { PORT, PG_URL } = process.env;
const issuer = `http://127.0.0.1:${PORT}`;
const scopes = ['mcp:read', 'mcp:write'];

// As many connections as one process of the peer.
const pool = new pg.Pool({ connectionString: PG_URL, max: 16 });
await pool.query(`
  CREATE TABLE IF NOT EXISTS models (
    key TEXT PRIMARY KEY, payload JSONB NOT NULL, grant_id TEXT, uid TEXT, expires_at TIMESTAMPTZ
  );
  CREATE INDEX IF NOT EXISTS models_grant ON models (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX IF NOT EXISTS models_uid ON models (uid) WHERE uid IS NOT NULL;
`);

// Ids are credentials here, so only their digests are stored; pg prepares each statement once by its name.
class Postgres {
  constructor(model) {
    this.model = model;
  }

  key(id) {
    return `${this.model} ${createHash('sha256').update(id).digest('base64url')}`;
  }

  ask(name, text, values) {
    return pool.query({ name, text, values });
  }

  async upsert(id, { jti, ...payload }, lifetime) {
    // A session is also found by its uid, and has to know its own id then.
    if (this.model === 'Session') payload.own_id = id;
    const end = lifetime ? new Date(Date.now() + lifetime * 1000) : null;
    await this.ask(
      'upsert',
      `INSERT INTO models (key, payload, grant_id, uid, expires_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
         uid = excluded.uid, expires_at = excluded.expires_at`,
      [this.key(id), JSON.stringify(payload), payload.grantId ?? null, payload.uid ?? null, end],
    );
  }

  async find(id) {
    const found = await this.ask(
      'find',
      'SELECT payload FROM models WHERE key = $1 AND (expires_at IS NULL OR expires_at > now())',
      [this.key(id)],
    );
    return found.rows[0] && { jti: id, ...found.rows[0].payload };
  }

  async findByUid(uid) {
    const found = await this.ask('by_uid', 'SELECT payload FROM models WHERE uid = $1', [uid]);
    return found.rows[0] && { jti: found.rows[0].payload.own_id, ...found.rows[0].payload };
  }

  async findByUserCode() {}

  async consume(id) {
    await this.ask(
      'consume',
      `UPDATE models SET payload = jsonb_set(payload, '{consumed}', to_jsonb(extract(epoch FROM now())::bigint))
       WHERE key = $1`,
      [this.key(id)],
    );
  }

  async destroy(id) {
    await this.ask('destroy', 'DELETE FROM models WHERE key = $1', [this.key(id)]);
  }

  async revokeByGrantId(grant) {
    await this.ask('revoke', 'DELETE FROM models WHERE grant_id = $1', [grant]);
  }
}

const signing = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new oidc.Provider(issuer, {
  adapter: Postgres,
  jwks: { keys: [{ ...signing, use: 'sig', kid: 'bench' }] },
  cookies: { keys: ['bench'] },
  clients: [
    {
      client_id: 'bench',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: ['http://127.0.0.1/callback'],
    },
    {
      client_id: 'worker',
      client_secret: 'worker-secret',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: [],
      response_types: [],
      redirect_uris: [],
    },
  ],
  scopes: ['openid', 'offline_access', ...scopes],
  responseTypes: ['code'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
  ttl: { AccessToken: 3600, AuthorizationCode: 60, Grant: 2592000, Interaction: 600, RefreshToken: 2592000, Session: 86400 },
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: async (_, client) => client.clientId === 'worker' },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `${issuer}/mcp`,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, audience) => ({
        audience,
        scope: scopes.join(' '),
        accessTokenFormat: 'opaque',
        accessTokenTTL: 3600,
      }),
    },
  },
});
provider.on('server_error', (_, error) => console.error(error));

async function consent(req, res) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(req, res);
  if (prompt.name === 'login') {
    return provider.interactionFinished(req, res, { login: { accountId: 'ana' } });
  }
  const known = grantId && (await provider.Grant.find(grantId));
  const grant = known || new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  for (const scope of prompt.details.missingOIDCScope ?? []) grant.addOIDCScope(scope);
  for (const [resource, missing] of Object.entries(prompt.details.missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, missing.join(' '));
  }
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: true });
}

const answer = provider.callback();
createServer((req, res) => {
  if (!req.url.startsWith('/interaction/')) return answer(req, res);
  return consent(req, res).catch((error) => {
    console.error(error);
    res.writeHead(500).end();
  });
}).listen(Number(PORT), '127.0.0.1');
