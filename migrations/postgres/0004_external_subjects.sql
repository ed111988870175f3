-- People as other issuers' tokens name them. Tokens issued before `not_before` are over: that is when the person was
-- locked or deleted here. The row of a deleted person stays without them, so that a token from before brings nobody
-- back.
CREATE TABLE external_subjects (
  issuer     TEXT   NOT NULL,
  subject    TEXT   NOT NULL,
  user_id    TEXT,
  not_before BIGINT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX external_subjects_user ON external_subjects (user_id) WHERE user_id IS NOT NULL;
