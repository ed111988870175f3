-- Tokens are found by their digest, and a grant's live refresh token by the partial index; nothing asked these two, and
-- every refresh had to write them.
DROP INDEX refresh_tokens_grant;
DROP INDEX access_tokens_grant;
