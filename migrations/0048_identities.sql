-- Accounts of identity providers that a user can sign in with. The label is for people only.
CREATE TABLE identities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  UNIQUE (issuer, subject)
) STRICT;

CREATE INDEX identities_of_user ON identities (user_id);

-- Browsers that were sent to a provider, until they come back.
CREATE TABLE provider_attempts (
  state_hash TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  -- The cookie of the browser.
  browser_hash TEXT NOT NULL,
  -- The user who wants to link an account; null for a sign-in.
  user_id INTEGER REFERENCES users (id) ON DELETE CASCADE,
  return_to TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX provider_attempts_of_user ON provider_attempts (user_id);
CREATE INDEX provider_attempts_expiring ON provider_attempts (expires_at);
