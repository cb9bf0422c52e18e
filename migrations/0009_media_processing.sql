-- Film, sound and moving pictures are uploaded first and processed later. Until that is done, source is the upload as it
-- came (a path below the media folder, never served), and file is what stands for it. When it fails, file stays so.
ALTER TABLE media_attachments ADD COLUMN state TEXT NOT NULL DEFAULT 'ready'
  CHECK (state IN ('processing', 'ready', 'failed'));
ALTER TABLE media_attachments ADD COLUMN source TEXT;
-- How often processing was begun: what breaks the server each time must not do so for ever.
ALTER TABLE media_attachments ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
-- In seconds, frames a second such as 30/1, and bits a second.
ALTER TABLE media_attachments ADD COLUMN duration REAL;
ALTER TABLE media_attachments ADD COLUMN frame_rate TEXT;
ALTER TABLE media_attachments ADD COLUMN bitrate INTEGER;
-- JSON: background, foreground and accent of small.
ALTER TABLE media_attachments ADD COLUMN colors TEXT;
-- Whether small is a picture that the author chose, which nothing else replaces.
ALTER TABLE media_attachments ADD COLUMN has_thumbnail INTEGER NOT NULL DEFAULT 0;
