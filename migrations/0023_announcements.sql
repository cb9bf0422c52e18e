-- Shown from `published_at`, which may be in the future, until the end.
CREATE TABLE announcements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  text TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  -- The time of the announced event, if it has one.
  starts_at INTEGER,
  ends_at INTEGER,
  all_day INTEGER NOT NULL,
  -- Incremented by every change, so that jobs of an earlier version do nothing.
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE announcement_dismissals (
  announcement_id INTEGER NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (announcement_id, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX announcement_dismissals_of_account ON announcement_dismissals (account_id);

CREATE TABLE announcement_reactions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  announcement_id INTEGER NOT NULL REFERENCES announcements (id) ON DELETE CASCADE,
  -- An emoji or the shortcode of a custom one, whose deletion deletes the reaction.
  name TEXT NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  custom_emoji_id INTEGER REFERENCES custom_emojis (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (announcement_id, name, account_id)
) STRICT;

CREATE INDEX announcement_reactions_of_account ON announcement_reactions (account_id);
CREATE INDEX announcement_reactions_with_emoji ON announcement_reactions (custom_emoji_id) WHERE custom_emoji_id IS NOT NULL;
