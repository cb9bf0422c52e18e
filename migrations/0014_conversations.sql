CREATE TABLE conversation_mutes (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  conversation_id INTEGER NOT NULL,
  PRIMARY KEY (account_id, conversation_id)
) STRICT, WITHOUT ROWID;

-- A user's view of a thread of direct statuses: one row per set of participants (a sorted list of ids).
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  thread_id INTEGER NOT NULL,
  participants TEXT NOT NULL,
  last_status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  unread INTEGER NOT NULL,
  UNIQUE (account_id, thread_id, participants)
) STRICT;

CREATE INDEX conversations_of_account ON conversations (account_id, last_status_id);
CREATE INDEX conversations_by_last_status ON conversations (last_status_id);

CREATE TABLE conversation_statuses (
  conversation_id INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  status_id INTEGER NOT NULL REFERENCES statuses (id) ON DELETE CASCADE,
  PRIMARY KEY (conversation_id, status_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_statuses_of_status ON conversation_statuses (status_id);
