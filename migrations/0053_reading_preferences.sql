-- What users choose for the pages: a time zone by its name in the IANA database, and whether media and content warnings
-- are open. Apps read the latter two as Mastodon's preferences.
ALTER TABLE users ADD COLUMN time_zone TEXT;
ALTER TABLE users ADD COLUMN expand_media TEXT NOT NULL DEFAULT 'default' CHECK (expand_media IN ('default', 'show_all', 'hide_all'));
ALTER TABLE users ADD COLUMN expand_spoilers INTEGER NOT NULL DEFAULT 0;
