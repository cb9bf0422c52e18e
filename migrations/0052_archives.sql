-- The months in which a local account wrote posts, with what decides who sees them: an archive of 100,000 posts reads no row.
CREATE INDEX statuses_months
ON statuses (account_id, strftime('%Y-%m', created_at / 1000, 'unixepoch'), visibility, local_only, in_reply_to_account_id)
WHERE reblog_of_id IS NULL AND local = 1;

-- Whether public posts were imported for followers only.
ALTER TABLE imports ADD COLUMN for_followers INTEGER NOT NULL DEFAULT 0;
