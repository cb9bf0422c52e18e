-- One subscription per token, deleted with it. The token itself is encrypted.
-- `alerts` is a JSON list of notification types.
CREATE TABLE push_subscriptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  token_id INTEGER NOT NULL UNIQUE REFERENCES oauth_tokens (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  sealed_token TEXT NOT NULL,
  endpoint TEXT NOT NULL,
  p256dh TEXT NOT NULL,
  auth TEXT NOT NULL,
  standard INTEGER NOT NULL,
  alerts TEXT NOT NULL,
  policy TEXT NOT NULL CHECK (policy IN ('all', 'followed', 'follower', 'none')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX push_subscriptions_of_account ON push_subscriptions (account_id);
