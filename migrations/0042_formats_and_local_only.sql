-- The format of the text. Of a remote status, only HTML is known, and it has no text.
ALTER TABLE statuses ADD COLUMN content_type TEXT NOT NULL DEFAULT 'text/plain'
  CHECK (content_type IN ('text/plain', 'text/markdown', 'text/html'));

-- Whether only users of this server may see the status or reblog.
ALTER TABLE statuses ADD COLUMN local_only INTEGER NOT NULL DEFAULT 0;

CREATE INDEX statuses_local_only ON statuses (account_id) WHERE local_only = 1;

ALTER TABLE users ADD COLUMN default_content_type TEXT NOT NULL DEFAULT 'text/plain'
  CHECK (default_content_type IN ('text/plain', 'text/markdown', 'text/html'));

UPDATE scheduled_statuses
SET draft = json_set(draft, '$.contentType', 'text/plain', '$.localOnly', json('false'));
