-- The job that fills a home timeline is the mark that it is being filled: it stands until the job is done, or gives up.
CREATE INDEX jobs_filling_home ON jobs (payload ->> 'accountId')
  WHERE kind IN ('home.fill', 'home.rebuild') AND run_at IS NOT NULL;

-- Whether a row speaks of a file that lies on the disk, by its path.
CREATE INDEX media_attachments_file ON media_attachments (file);
CREATE INDEX media_attachments_small ON media_attachments (small) WHERE small <> file;
CREATE INDEX media_attachments_source ON media_attachments (source) WHERE source IS NOT NULL;
CREATE INDEX custom_emojis_image ON custom_emojis (image);
CREATE INDEX custom_emojis_static ON custom_emojis (static_image);
CREATE INDEX accounts_avatar ON accounts (avatar) WHERE avatar GLOB 'avatars/*';
CREATE INDEX accounts_avatar_static ON accounts (avatar_static) WHERE avatar_static GLOB 'avatars/*';
CREATE INDEX accounts_header ON accounts (header) WHERE header GLOB 'headers/*';
CREATE INDEX accounts_header_static ON accounts (header_static) WHERE header_static GLOB 'headers/*';
