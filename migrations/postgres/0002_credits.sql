-- What a workspace has used of a month's credits, reservations included. What is left is the plan's to say.
CREATE TABLE credits (
  workspace_id TEXT   NOT NULL,
  month        BIGINT NOT NULL,
  used         BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, month)
);

-- Each call that was charged, each spending and each refund. A call whose amount is null has reserved its cost and
-- not ended yet; if it has not by expires_at, whoever carried it is gone.
CREATE TABLE credit_entries (
  id           TEXT   NOT NULL PRIMARY KEY,
  workspace_id TEXT   NOT NULL,
  month        BIGINT NOT NULL,
  at           BIGINT NOT NULL,
  kind         TEXT   NOT NULL,
  reserved     BIGINT NOT NULL,
  amount       BIGINT,
  outcome      TEXT,
  settled_at   BIGINT,
  expires_at   BIGINT NOT NULL,
  user_id      TEXT,
  client_id    TEXT,
  grant_id     TEXT,
  pat_id       TEXT,
  service      TEXT,
  tool         TEXT,
  note         TEXT
);
CREATE INDEX credit_entries_workspace ON credit_entries (workspace_id, at);
CREATE INDEX credit_entries_at ON credit_entries (at);
CREATE INDEX credit_entries_open ON credit_entries (expires_at) WHERE amount IS NULL;
