-- Media of other servers: rows have its address, and remote_files the copies of what has been shown.
ALTER TABLE accounts ADD COLUMN avatar_remote_url TEXT;
ALTER TABLE accounts ADD COLUMN header_remote_url TEXT;

-- Rebuilt, because an attachment of another server has no file. A width or height of 0 is unknown.
CREATE TABLE new_media_attachments (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  position INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL CHECK (type IN ('image', 'gifv', 'video', 'audio', 'unknown')),
  content_type TEXT NOT NULL,
  file TEXT,
  file_size INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  small TEXT,
  small_width INTEGER NOT NULL,
  small_height INTEGER NOT NULL,
  focus_x REAL NOT NULL DEFAULT 0,
  focus_y REAL NOT NULL DEFAULT 0,
  description TEXT,
  blurhash TEXT,
  created_at INTEGER NOT NULL,
  -- Video, audio and animated images are processed after the upload. Until then, `source` is the unchanged upload (a path
  -- below the media folder, never served) and `file` is a placeholder. If processing fails, `file` stays the placeholder.
  state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('processing', 'ready', 'failed')),
  source TEXT,
  -- Attempts at processing, so that a file that crashes the server is given up.
  tries INTEGER NOT NULL DEFAULT 0,
  -- In seconds, frames per second such as 30/1, and bits per second.
  duration REAL,
  frame_rate TEXT,
  bitrate INTEGER,
  -- JSON: background, foreground and accent colours of `small`.
  colors TEXT,
  -- 1 if the author uploaded `small`: processing must not replace it.
  has_thumbnail INTEGER NOT NULL DEFAULT 0,
  scheduled_status_id INTEGER REFERENCES scheduled_statuses (id) ON DELETE SET NULL,
  remote_url TEXT,
  -- A smaller image, or the cover of a clip; null if its server has none.
  preview_remote_url TEXT,
  CHECK ((file IS NULL) <> (remote_url IS NULL)),
  CHECK ((file IS NULL) = (small IS NULL))
) STRICT;

INSERT INTO new_media_attachments SELECT *, NULL, NULL FROM media_attachments;
DROP TABLE media_attachments;
ALTER TABLE new_media_attachments RENAME TO media_attachments;

CREATE INDEX media_attachments_of_status ON media_attachments (status_id, position) WHERE status_id IS NOT NULL;
CREATE INDEX media_attachments_unattached ON media_attachments (created_at) WHERE status_id IS NULL;
CREATE INDEX media_attachments_of_account ON media_attachments (account_id);
CREATE INDEX media_attachments_of_scheduled ON media_attachments (scheduled_status_id) WHERE scheduled_status_id IS NOT NULL;
CREATE INDEX media_attachments_file ON media_attachments (file) WHERE file IS NOT NULL;
CREATE INDEX media_attachments_small ON media_attachments (small) WHERE small <> file;
CREATE INDEX media_attachments_source ON media_attachments (source) WHERE source IS NOT NULL;

-- Rebuilt for the same reason.
CREATE TABLE new_custom_emojis (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  shortcode TEXT NOT NULL,
  domain TEXT,
  image TEXT,
  -- The same file unless it is animated.
  static_image TEXT,
  category TEXT,
  visible_in_picker INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  uri TEXT,
  image_remote_url TEXT,
  -- When its server changed the image, if it says so: the address may stay the same.
  remote_updated_at INTEGER,
  CHECK ((image IS NULL) <> (image_remote_url IS NULL)),
  CHECK ((image IS NULL) = (static_image IS NULL))
) STRICT;

INSERT INTO new_custom_emojis SELECT *, NULL, NULL, NULL FROM custom_emojis;
DROP TABLE custom_emojis;
ALTER TABLE new_custom_emojis RENAME TO custom_emojis;

CREATE UNIQUE INDEX custom_emojis_of_server ON custom_emojis (coalesce(domain, ''), shortcode);
CREATE INDEX custom_emojis_image ON custom_emojis (image) WHERE image IS NOT NULL;
CREATE INDEX custom_emojis_static ON custom_emojis (static_image) WHERE static_image IS NOT NULL;

-- The image of a card is such a file, too. Earlier copies are removed as files without a row.
DROP INDEX preview_cards_by_image;
ALTER TABLE preview_cards RENAME COLUMN image TO image_remote_url;
UPDATE preview_cards SET image_remote_url = NULL, blurhash = NULL WHERE image_remote_url IS NOT NULL;

-- One row for each file of another server that was shown, or could not be. `kind` says which table the owner is in;
-- `version` is derived from its remote URL. `file` and `still`, the first frame of an animation, are paths below the data
-- folder. With `failed_at`, `file` is a placeholder or missing.
CREATE TABLE remote_files (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('attachments', 'avatars', 'headers', 'emojis', 'cards')),
  owner_id INTEGER NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('original', 'preview')),
  version TEXT NOT NULL,
  file TEXT,
  still TEXT,
  bytes INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  failed_at INTEGER
) STRICT;

CREATE UNIQUE INDEX remote_files_of_owner ON remote_files (owner_id, kind, form);
CREATE INDEX remote_files_by_use ON remote_files (used_at, bytes);
CREATE INDEX remote_files_file ON remote_files (file) WHERE file IS NOT NULL;
CREATE INDEX remote_files_still ON remote_files (still) WHERE still IS NOT NULL;

-- A copy without its original is the first that the next clean-up of the cache removes. Until then it isn't served.
CREATE TRIGGER media_attachments_uncached AFTER DELETE ON media_attachments WHEN old.remote_url IS NOT NULL BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'attachments';
END;

CREATE TRIGGER accounts_avatar_uncached AFTER UPDATE OF avatar_remote_url ON accounts
WHEN old.avatar_remote_url IS NOT new.avatar_remote_url BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'avatars';
END;

CREATE TRIGGER accounts_header_uncached AFTER UPDATE OF header_remote_url ON accounts
WHEN old.header_remote_url IS NOT new.header_remote_url BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'headers';
END;

CREATE TRIGGER accounts_uncached AFTER DELETE ON accounts WHEN old.domain IS NOT NULL BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind IN ('avatars', 'headers');
END;

CREATE TRIGGER custom_emojis_uncached AFTER DELETE ON custom_emojis WHEN old.domain IS NOT NULL BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'emojis';
END;

CREATE TRIGGER preview_cards_uncached AFTER DELETE ON preview_cards BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'cards';
END;

CREATE TRIGGER preview_cards_image_uncached AFTER UPDATE OF image_remote_url ON preview_cards
WHEN old.image_remote_url IS NOT new.image_remote_url BEGIN
  UPDATE remote_files SET used_at = 0 WHERE owner_id = old.id AND kind = 'cards';
END;
