-- An address that its user has not confirmed yet. `email` keeps the previous one until then.
ALTER TABLE users ADD COLUMN unconfirmed_email TEXT;

-- Links in e-mails. They work once.
CREATE TABLE email_tokens (
  token_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL,
  -- The address that got the link. The link works only for it.
  email TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX email_tokens_of_user ON email_tokens (user_id, purpose, created_at);
CREATE INDEX email_tokens_expiring ON email_tokens (expires_at);
