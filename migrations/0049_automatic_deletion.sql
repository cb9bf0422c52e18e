-- The rules by which a user's old posts are deleted. Without a row, none is.
CREATE TABLE automatic_deletions (
  account_id INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL,
  min_age_days INTEGER NOT NULL,
  keep_direct INTEGER NOT NULL,
  keep_pinned INTEGER NOT NULL,
  keep_polls INTEGER NOT NULL,
  keep_media INTEGER NOT NULL,
  -- By the author.
  keep_favourited INTEGER NOT NULL,
  keep_bookmarked INTEGER NOT NULL,
  -- Posts with this many are kept; null keeps none for that.
  min_favourites INTEGER,
  min_reblogs INTEGER
) STRICT;
