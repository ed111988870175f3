-- A call that broke off and was sent again is one call to whoever pays for it: `call` is the same in every run of it, and
-- a random name, so that the ledger says nothing of keys or arguments.
ALTER TABLE idempotency ADD COLUMN call TEXT;
ALTER TABLE credit_entries ADD COLUMN call TEXT;
CREATE INDEX credit_entries_call ON credit_entries (call) WHERE call IS NOT NULL;
