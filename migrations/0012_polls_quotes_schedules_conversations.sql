CREATE TABLE polls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
  multiple INTEGER NOT NULL,
  hide_totals INTEGER NOT NULL,
  -- Null where another server doesn't say.
  voters_count INTEGER,
  -- Null for one without an end, which other servers know.
  expires_at INTEGER,
  -- Whether those who voted have been told that it is over.
  closed INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE poll_options (
  poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  title TEXT NOT NULL,
  votes_count INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (poll_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE poll_votes (
  poll_id INTEGER NOT NULL REFERENCES polls (id) ON DELETE CASCADE,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  choice INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (poll_id, account_id, choice)
) STRICT, WITHOUT ROWID;

CREATE INDEX poll_votes_of_account ON poll_votes (account_id);

-- The titles that a version offered, as a list; null without a poll.
ALTER TABLE status_edits ADD COLUMN poll_options TEXT;

-- Who may quote, as lists of "public", "followers", "following" and "unsupported_policy": at once, or when the author agrees.
ALTER TABLE statuses ADD COLUMN quote_automatic TEXT NOT NULL DEFAULT '[]';
ALTER TABLE statuses ADD COLUMN quote_manual TEXT NOT NULL DEFAULT '[]';
ALTER TABLE statuses ADD COLUMN quotes_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN default_quote_policy TEXT NOT NULL DEFAULT 'public';

-- An accepted quote of a status that is gone keeps its row, so that it can be said that there was one.
CREATE TABLE quotes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
  quoted_status_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'revoked', 'deleted')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX quotes_of_status ON quotes (quoted_status_id, id) WHERE quoted_status_id IS NOT NULL;

-- Whom a status was opened to without naming them: whoever is quoted in it.
ALTER TABLE mentions ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;

CREATE TABLE scheduled_statuses (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  app_id INTEGER REFERENCES oauth_apps (id) ON DELETE SET NULL,
  draft TEXT NOT NULL,
  scheduled_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX scheduled_statuses_of_account ON scheduled_statuses (account_id, scheduled_at);
CREATE INDEX scheduled_statuses_of_app ON scheduled_statuses (app_id) WHERE app_id IS NOT NULL;

ALTER TABLE media_attachments ADD COLUMN scheduled_status_id INTEGER REFERENCES scheduled_statuses (id) ON DELETE SET NULL;
CREATE INDEX media_attachments_of_scheduled ON media_attachments (scheduled_status_id) WHERE scheduled_status_id IS NOT NULL;

-- The same as before, for what is published later too: exactly one of the two is there.
ALTER TABLE idempotency_keys RENAME TO idempotency_keys_of_statuses;
CREATE TABLE idempotency_keys (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  status_id INTEGER REFERENCES statuses (id) ON DELETE CASCADE,
  scheduled_status_id INTEGER REFERENCES scheduled_statuses (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key),
  CHECK ((status_id IS NULL) <> (scheduled_status_id IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO idempotency_keys (account_id, key, status_id, created_at)
  SELECT account_id, key, status_id, created_at FROM idempotency_keys_of_statuses;
DROP TABLE idempotency_keys_of_statuses;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_of_status ON idempotency_keys (status_id) WHERE status_id IS NOT NULL;
CREATE INDEX idempotency_keys_of_scheduled ON idempotency_keys (scheduled_status_id) WHERE scheduled_status_id IS NOT NULL;

-- What a person sees of a thread of direct statuses: one row for each set of others in it, a sorted list of their ids.
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

-- The direct statuses that are there already, as read.
CREATE TEMP TABLE seen AS
  WITH people (status_id, account_id) AS (
    SELECT id, account_id FROM statuses WHERE visibility = 'direct'
    UNION
    SELECT m.status_id, m.account_id FROM mentions m JOIN statuses s ON s.id = m.status_id WHERE s.visibility = 'direct')
  SELECT p.account_id, s.conversation_id AS thread_id, s.id AS status_id,
    (SELECT json_group_array(o.account_id ORDER BY o.account_id) FROM people o
     WHERE o.status_id = p.status_id AND o.account_id <> p.account_id) AS participants
  FROM people p JOIN users u ON u.account_id = p.account_id JOIN statuses s ON s.id = p.status_id;
INSERT INTO conversations (account_id, thread_id, participants, last_status_id, unread)
  SELECT account_id, thread_id, participants, max(status_id), 0 FROM seen GROUP BY account_id, thread_id, participants;
INSERT INTO conversation_statuses (conversation_id, status_id)
  SELECT c.id, seen.status_id FROM seen JOIN conversations c USING (account_id, thread_id, participants);
DROP TABLE seen;
