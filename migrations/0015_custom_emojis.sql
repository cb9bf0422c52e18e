-- Pictures that stand in a text as `:shortcode:`. Without a domain they are ours; those of other servers are for what is
-- written there.
CREATE TABLE custom_emojis (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shortcode TEXT NOT NULL,
  domain TEXT,
  image TEXT NOT NULL,
  -- The same file where it doesn't move.
  static_image TEXT NOT NULL,
  category TEXT,
  visible_in_picker INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX custom_emojis_of_server ON custom_emojis (coalesce(domain, ''), shortcode);
