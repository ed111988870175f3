-- Calls of tools that write, while they run and for some minutes after. `digest` is of what makes two calls the same
-- call, who makes it included; `arguments` is keyed with that, and `answer` sealed with it, so that neither is of use
-- to whoever reads this table.
CREATE TABLE idempotency (
  digest      TEXT   NOT NULL PRIMARY KEY,
  arguments   TEXT   NOT NULL,
  holder      TEXT   NOT NULL,
  lease_until BIGINT NOT NULL,
  outcome     TEXT,
  answer      TEXT,
  expires_at  BIGINT NOT NULL
);
CREATE INDEX idempotency_expiry ON idempotency (expires_at);
