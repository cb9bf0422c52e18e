-- The private feed of a user's home timeline. Only the hash of the secret in its address is stored.
CREATE TABLE home_feeds (
  user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  key_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;
