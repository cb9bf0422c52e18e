-- `file` and `small` are paths below the media folder.
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
  scheduled_status_id INTEGER REFERENCES scheduled_statuses (id) ON DELETE SET NULL
) STRICT;

CREATE INDEX media_attachments_of_status ON media_attachments (status_id, position) WHERE status_id IS NOT NULL;
CREATE INDEX media_attachments_unattached ON media_attachments (created_at) WHERE status_id IS NULL;
CREATE INDEX media_attachments_of_account ON media_attachments (account_id);
CREATE INDEX media_attachments_of_scheduled ON media_attachments (scheduled_status_id) WHERE scheduled_status_id IS NOT NULL;

-- To find out whether any row names a file.
CREATE INDEX media_attachments_file ON media_attachments (file);
CREATE INDEX media_attachments_small ON media_attachments (small) WHERE small <> file;
CREATE INDEX media_attachments_source ON media_attachments (source) WHERE source IS NOT NULL;
