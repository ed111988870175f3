-- Times are milliseconds since the Unix epoch. Digests are SHA-256 in lower-case hexadecimal.
-- No column of any table holds something that opens anything.

CREATE TABLE users (
  id            TEXT   NOT NULL PRIMARY KEY,
  email         TEXT   NOT NULL,
  email_key     TEXT   NOT NULL UNIQUE,
  name          TEXT   NOT NULL,
  external_id   TEXT   UNIQUE,
  password_hash TEXT,
  epoch         BIGINT NOT NULL,
  locked_at     BIGINT,
  created_at    BIGINT NOT NULL
);

CREATE TABLE workspaces (
  id          TEXT   NOT NULL PRIMARY KEY,
  name        TEXT   NOT NULL,
  personal_of TEXT   UNIQUE,
  plan        TEXT,
  status      TEXT   NOT NULL,
  created_at  BIGINT NOT NULL
);

-- A removed member's row stays with a higher epoch, so that joining again revives nothing.
CREATE TABLE memberships (
  user_id      TEXT   NOT NULL,
  workspace_id TEXT   NOT NULL,
  epoch        BIGINT NOT NULL,
  joined_at    BIGINT NOT NULL,
  removed_at   BIGINT,
  PRIMARY KEY (user_id, workspace_id)
);
CREATE INDEX memberships_workspace ON memberships (workspace_id);

-- A deleted client's row stays with a higher epoch: its derived id may be registered again and must not revive
-- what was granted to it before.
CREATE TABLE clients (
  id              TEXT   NOT NULL PRIMARY KEY,
  kind            TEXT   NOT NULL,
  metadata        TEXT   NOT NULL,
  secret_hash     TEXT,
  address         TEXT,
  epoch           BIGINT NOT NULL,
  disabled_at     BIGINT,
  deleted_at      BIGINT,
  created_at      BIGINT NOT NULL,
  registered_at   BIGINT NOT NULL,
  last_granted_at BIGINT
);
-- What the cap on registrations counts, by who holds them.
CREATE INDEX clients_never_granted ON clients (address, registered_at)
  WHERE kind = 'dynamic' AND last_granted_at IS NULL AND disabled_at IS NULL;

CREATE TABLE sessions (
  digest       TEXT   NOT NULL PRIMARY KEY,
  user_id      TEXT   NOT NULL,
  user_epoch   BIGINT NOT NULL,
  workspace_id TEXT   NOT NULL,
  created_at   BIGINT NOT NULL,
  seen_at      BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE transactions (
  id         TEXT   NOT NULL PRIMARY KEY,
  request    TEXT   NOT NULL,
  user_id    TEXT,
  address    TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  decided_at BIGINT,
  decision   TEXT
);
CREATE INDEX transactions_expiry ON transactions (expires_at);
CREATE INDEX transactions_waiting ON transactions (created_at) WHERE decided_at IS NULL;

CREATE TABLE pats (
  id               TEXT   NOT NULL PRIMARY KEY,
  digest           TEXT   NOT NULL UNIQUE,
  previous_digest  TEXT   UNIQUE,
  previous_until   BIGINT,
  user_id          TEXT   NOT NULL,
  workspace_id     TEXT   NOT NULL,
  brand            TEXT   NOT NULL,
  name             TEXT   NOT NULL,
  scopes           TEXT   NOT NULL,
  mode             TEXT   NOT NULL,
  hint             TEXT   NOT NULL,
  user_epoch       BIGINT NOT NULL,
  membership_epoch BIGINT NOT NULL,
  created_at       BIGINT NOT NULL,
  expires_at       BIGINT,
  last_used_at     BIGINT,
  ended_at         BIGINT,
  ended_reason     TEXT
);
CREATE INDEX pats_user ON pats (user_id);

CREATE TABLE grants (
  id               TEXT   NOT NULL PRIMARY KEY,
  user_id          TEXT   NOT NULL,
  workspace_id     TEXT   NOT NULL,
  client_id        TEXT   NOT NULL,
  service          TEXT   NOT NULL,
  brand            TEXT   NOT NULL,
  scopes           TEXT   NOT NULL,
  pat_id           TEXT,
  mode             TEXT   NOT NULL,
  redirect_host    TEXT   NOT NULL,
  user_epoch       BIGINT NOT NULL,
  membership_epoch BIGINT NOT NULL,
  client_epoch     BIGINT NOT NULL,
  rev              BIGINT NOT NULL,
  created_at       BIGINT NOT NULL,
  activated_at     BIGINT,
  expires_at       BIGINT NOT NULL,
  last_used_at     BIGINT,
  ended_at         BIGINT,
  ended_reason     TEXT
);
CREATE INDEX grants_user ON grants (user_id);
CREATE INDEX grants_pat ON grants (pat_id) WHERE pat_id IS NOT NULL;
CREATE INDEX grants_client ON grants (client_id);

CREATE TABLE codes (
  digest       TEXT   NOT NULL PRIMARY KEY,
  grant_id     TEXT   NOT NULL,
  client_id    TEXT   NOT NULL,
  redirect_uri TEXT   NOT NULL,
  challenge    TEXT   NOT NULL,
  expires_at   BIGINT NOT NULL,
  consumed_at  BIGINT,
  wrong_tries  BIGINT NOT NULL
);
CREATE INDEX codes_grant ON codes (grant_id);
CREATE INDEX codes_expiry ON codes (expires_at);
CREATE INDEX codes_challenge ON codes (challenge);

CREATE TABLE refresh_tokens (
  digest      TEXT   NOT NULL PRIMARY KEY,
  grant_id    TEXT   NOT NULL,
  created_at  BIGINT NOT NULL,
  expires_at  BIGINT NOT NULL,
  consumed_at BIGINT,
  salt        TEXT,
  racers      BIGINT NOT NULL
);
-- One live refresh token a grant, whatever the code above does.
CREATE UNIQUE INDEX refresh_tokens_live ON refresh_tokens (grant_id) WHERE consumed_at IS NULL;
CREATE INDEX refresh_tokens_grant ON refresh_tokens (grant_id);
CREATE INDEX refresh_tokens_salt ON refresh_tokens (consumed_at) WHERE salt IS NOT NULL;

CREATE TABLE access_tokens (
  digest        TEXT   NOT NULL PRIMARY KEY,
  grant_id      TEXT   NOT NULL,
  issued_from   TEXT,
  scopes        TEXT   NOT NULL,
  created_at    BIGINT NOT NULL,
  expires_at    BIGINT NOT NULL,
  first_used_at BIGINT,
  revoked_at    BIGINT
);
CREATE INDEX access_tokens_issued_from ON access_tokens (issued_from) WHERE issued_from IS NOT NULL;
CREATE INDEX access_tokens_grant ON access_tokens (grant_id);
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at);

CREATE TABLE operator_keys (
  id         TEXT   NOT NULL PRIMARY KEY,
  kind       TEXT   NOT NULL,
  name       TEXT   NOT NULL,
  digest     TEXT   NOT NULL UNIQUE,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);

CREATE TABLE changes (
  seq  BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT    NOT NULL,
  id   TEXT    NOT NULL,
  at   BIGINT  NOT NULL
);
CREATE INDEX changes_at ON changes (at);

CREATE TABLE audit (
  seq          BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           BIGINT  NOT NULL,
  event        TEXT    NOT NULL,
  user_id      TEXT,
  workspace_id TEXT,
  client_id    TEXT,
  grant_id     TEXT,
  pat_id       TEXT,
  detail       TEXT
);
CREATE INDEX audit_user ON audit (user_id, seq);
