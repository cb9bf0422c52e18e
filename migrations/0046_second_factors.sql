-- An authenticator app. The secret is encrypted with the key in push.key.
CREATE TABLE one_time_codes (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret TEXT NOT NULL,
  -- The time step of the last accepted code: that one and earlier ones are refused.
  last_step INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
  code_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX recovery_codes_of_user ON recovery_codes (user_id);

CREATE TABLE passkeys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  -- Both in base64url.
  credential_id TEXT NOT NULL UNIQUE,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  -- JSON array of how browsers reach it.
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;

CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- The challenges of passkeys that were answered, until they expire: each may be answered once.
CREATE TABLE used_challenges (
  challenge_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX used_challenges_expiring ON used_challenges (expires_at);

-- Users whose password was right, and whose second factor is still missing.
CREATE TABLE pending_sign_ins (
  secret_hash TEXT PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pending_sign_ins_of_user ON pending_sign_ins (user_id);
CREATE INDEX pending_sign_ins_expiring ON pending_sign_ins (expires_at);

-- Sign-ins from new browsers, of which notifications tell the user.
CREATE TABLE new_browsers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  address TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX new_browsers_of_user ON new_browsers (user_id);

-- By which authenticators know the user: random, so that it reveals nothing.
ALTER TABLE users ADD COLUMN passkey_handle TEXT;
-- Null before the first sign-in in a browser.
ALTER TABLE users ADD COLUMN signed_in_at INTEGER;
UPDATE users SET signed_in_at = (SELECT max(created_at) FROM sessions WHERE user_id = users.id);

CREATE TABLE new_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_hash TEXT NOT NULL UNIQUE,
  user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- When the user last proved in this browser who they are, by password, passkey or code.
  proved_at INTEGER NOT NULL,
  -- Accurate to about an hour, with the address and the browser of that time.
  last_used_at INTEGER,
  address TEXT,
  user_agent TEXT
) STRICT;

INSERT INTO new_sessions (session_hash, user_id, created_at, expires_at, proved_at)
SELECT session_hash, user_id, created_at, expires_at, 0 FROM sessions;
DROP TABLE sessions;
ALTER TABLE new_sessions RENAME TO sessions;
CREATE INDEX sessions_expiring ON sessions (expires_at);
CREATE INDEX sessions_of_user ON sessions (user_id);

-- From where, and with which program, the token was last used.
ALTER TABLE oauth_tokens ADD COLUMN last_address TEXT;
ALTER TABLE oauth_tokens ADD COLUMN user_agent TEXT;
