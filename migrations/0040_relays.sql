-- Relays hand on the public posts of their members. The address is what the owner typed: an inbox (mastodon) or an
-- account (litepub).
CREATE TABLE relays (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('mastodon', 'litepub')),
  inbox TEXT NOT NULL,
  -- The account that signs what the relay sends. Of a mastodon relay it is known once it has answered.
  account_uri TEXT,
  -- The follow that asks the relay for posts.
  follow_uri TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'accepted', 'refused')),
  -- Since then nothing is accepted from it: it named too many posts that don't exist.
  paused_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

-- What a relay brought in the ten minutes since a time: posts that were stored, and posts that their servers don't have.
CREATE TABLE relay_counts (
  relay_id INTEGER NOT NULL REFERENCES relays (id) ON DELETE CASCADE,
  since INTEGER NOT NULL,
  posts INTEGER NOT NULL DEFAULT 0,
  missing INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (relay_id, since)
) STRICT, WITHOUT ROWID;

-- Whether a relay brought the status: then no followed hashtag adds it to a home timeline, and it counts for no trend.
ALTER TABLE statuses ADD COLUMN relayed INTEGER NOT NULL DEFAULT 0;
