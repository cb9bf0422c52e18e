-- The language of the pages; null follows the browser. The locale of a user is the same once one is chosen.
ALTER TABLE users ADD COLUMN page_language TEXT;

-- Links with which others can sign up.
CREATE TABLE invitations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The user who invites.
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  -- Readable, since its user may look at the link again.
  code TEXT NOT NULL UNIQUE,
  -- Null for any number.
  max_uses INTEGER,
  uses INTEGER NOT NULL DEFAULT 0,
  -- Null for never.
  expires_at INTEGER,
  revoked_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX invitations_of_account ON invitations (account_id, id);

-- A user who was invited needs no approval, also if the e-mail address has to be confirmed first.
ALTER TABLE users ADD COLUMN invitation_id INTEGER REFERENCES invitations (id) ON DELETE SET NULL;
CREATE INDEX users_of_invitation ON users (invitation_id) WHERE invitation_id IS NOT NULL;
