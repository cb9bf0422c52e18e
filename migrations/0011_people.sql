-- Who registered and waits for approval can't sign in, and is nobody to others. The reason is theirs, for wanting to be here.
ALTER TABLE users ADD COLUMN approved INTEGER NOT NULL DEFAULT 1;
ALTER TABLE users ADD COLUMN reason TEXT;

-- Which tabs the profile shows, as its owner wishes.
ALTER TABLE accounts ADD COLUMN show_media INTEGER NOT NULL DEFAULT 1;
ALTER TABLE accounts ADD COLUMN show_media_replies INTEGER NOT NULL DEFAULT 1;
ALTER TABLE accounts ADD COLUMN show_featured INTEGER NOT NULL DEFAULT 1;

CREATE INDEX accounts_directory_active ON accounts (last_status_at, id) WHERE discoverable = 1;
CREATE INDEX accounts_directory_new ON accounts (id) WHERE discoverable = 1;

CREATE INDEX blocks_of_account ON blocks (account_id, id);
CREATE INDEX mutes_of_account ON mutes (account_id, id);

-- Domains that one person blocks, for themselves.
CREATE TABLE account_domain_blocks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, domain)
) STRICT;

CREATE INDEX account_domain_blocks_of_account ON account_domain_blocks (account_id, id);

-- What somebody notes of another, for their own eyes.
CREATE TABLE account_notes (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  comment TEXT NOT NULL,
  PRIMARY KEY (account_id, target_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_notes_of_target ON account_notes (target_account_id);

-- Whom somebody shows on their profile.
CREATE TABLE endorsements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX endorsements_of_account ON endorsements (account_id, id);
CREATE INDEX endorsements_of_target ON endorsements (target_account_id);

-- Whom somebody doesn't want to be suggested again.
CREATE TABLE suggestion_dismissals (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, target_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestion_dismissals_of_target ON suggestion_dismissals (target_account_id);
