CREATE TABLE lists (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  replies_policy TEXT NOT NULL CHECK (replies_policy IN ('followed', 'list', 'none')),
  exclusive INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX lists_of_account ON lists (account_id);

-- Deleting the follow or the request that a membership depends on deletes it; the owner's own depends on neither.
CREATE TABLE list_accounts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  follow_id INTEGER REFERENCES follows (id) ON DELETE CASCADE,
  follow_request_id INTEGER REFERENCES follow_requests (id) ON DELETE CASCADE,
  UNIQUE (list_id, account_id)
) STRICT;

CREATE INDEX list_accounts_of_list ON list_accounts (list_id, id);
CREATE INDEX list_accounts_of_account ON list_accounts (account_id);
CREATE INDEX list_accounts_of_follow ON list_accounts (follow_id) WHERE follow_id IS NOT NULL;
CREATE INDEX list_accounts_of_request ON list_accounts (follow_request_id) WHERE follow_request_id IS NOT NULL;
