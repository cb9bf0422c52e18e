-- Images that a text names as `:shortcode:`. Without a domain they are this server's; others are for the statuses of that
-- domain.
CREATE TABLE custom_emojis (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shortcode TEXT NOT NULL,
  domain TEXT,
  image TEXT NOT NULL,
  -- The same file unless it is animated.
  static_image TEXT NOT NULL,
  category TEXT,
  visible_in_picker INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX custom_emojis_of_server ON custom_emojis (coalesce(domain, ''), shortcode);
CREATE INDEX custom_emojis_image ON custom_emojis (image);
CREATE INDEX custom_emojis_static ON custom_emojis (static_image);
