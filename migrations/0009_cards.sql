-- Previews of linked pages: one row per page, whatever address led to it. `image` is a path below the data folder.
-- `creator_account_id` is the account that the page names as its author; that account may not have confirmed it.
CREATE TABLE preview_cards (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('link', 'photo', 'video')),
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  language TEXT,
  author_name TEXT NOT NULL,
  author_url TEXT NOT NULL,
  creator_account_id INTEGER REFERENCES accounts (id) ON DELETE SET NULL,
  provider_name TEXT NOT NULL,
  provider_url TEXT NOT NULL,
  html TEXT NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  embed_url TEXT NOT NULL,
  image TEXT,
  image_description TEXT NOT NULL,
  blurhash TEXT,
  published_at INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX preview_cards_of_creator ON preview_cards (creator_account_id) WHERE creator_account_id IS NOT NULL;
CREATE INDEX preview_cards_by_image ON preview_cards (image) WHERE image IS NOT NULL;

-- Links as users wrote them. `fetched_at` is the last fetch, even a failed one, which leaves `card_id` unchanged.
CREATE TABLE links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  url TEXT NOT NULL UNIQUE,
  card_id INTEGER REFERENCES preview_cards (id) ON DELETE SET NULL,
  statuses_count INTEGER NOT NULL DEFAULT 0,
  fetched_at INTEGER
) STRICT;

CREATE INDEX links_of_card ON links (card_id) WHERE card_id IS NOT NULL;
CREATE INDEX links_unused ON links (fetched_at) WHERE statuses_count = 0;

-- The link of a status that its card shows.
CREATE TABLE status_links (
  status_id INTEGER PRIMARY KEY REFERENCES statuses (id) ON DELETE CASCADE,
  link_id INTEGER NOT NULL REFERENCES links (id)
) STRICT;

CREATE INDEX status_links_of_link ON status_links (link_id, status_id);

-- Triggers, since deleting an account deletes its statuses, too.
CREATE TRIGGER status_links_added AFTER INSERT ON status_links BEGIN
  UPDATE links SET statuses_count = statuses_count + 1 WHERE id = new.link_id;
END;

CREATE TRIGGER status_links_removed AFTER DELETE ON status_links BEGIN
  UPDATE links SET statuses_count = statuses_count - 1 WHERE id = old.link_id;
END;
