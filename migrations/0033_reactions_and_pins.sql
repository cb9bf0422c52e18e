-- The emoji of a favourite that is a reaction: a Unicode emoji, or the shortcode of a custom one between colons.
ALTER TABLE favourites ADD COLUMN emoji TEXT;

-- The address of a remote account's featured hashtags.
ALTER TABLE remote_accounts ADD COLUMN featured_tags_url TEXT;
