-- file and small are paths below the media folder.
CREATE TABLE media_attachments (
  id INTEGER PRIMARY KEY,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  status_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  position INTEGER NOT NULL DEFAULT 0,
  type TEXT NOT NULL CHECK (type IN ('image', 'gifv', 'video', 'audio', 'unknown')),
  content_type TEXT NOT NULL,
  file TEXT NOT NULL,
  file_size INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  small TEXT NOT NULL,
  small_width INTEGER NOT NULL,
  small_height INTEGER NOT NULL,
  focus_x REAL NOT NULL DEFAULT 0,
  focus_y REAL NOT NULL DEFAULT 0,
  description TEXT,
  blurhash TEXT,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX media_attachments_of_status ON media_attachments (status_id, position) WHERE status_id IS NOT NULL;
CREATE INDEX media_attachments_unattached ON media_attachments (created_at) WHERE status_id IS NULL;
CREATE INDEX media_attachments_of_account ON media_attachments (account_id);
