-- The interaction policy, besides the quote policy: JSON lists of those who may, null for everyone who sees the status.
ALTER TABLE statuses ADD COLUMN can_favourite TEXT;
ALTER TABLE statuses ADD COLUMN can_reply TEXT;
ALTER TABLE statuses ADD COLUMN can_reblog TEXT;

-- A JSON object: for each visibility whose default its user changed, the values of these columns.
ALTER TABLE users ADD COLUMN default_policies TEXT NOT NULL DEFAULT '{}';
