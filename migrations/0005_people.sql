-- Private notes about accounts.
CREATE TABLE account_notes (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  comment TEXT NOT NULL,
  PRIMARY KEY (account_id, target_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX account_notes_of_target ON account_notes (target_account_id);

-- Accounts that a user features on their profile.
CREATE TABLE endorsements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, target_account_id)
) STRICT;

CREATE INDEX endorsements_of_account ON endorsements (account_id, id);
CREATE INDEX endorsements_of_target ON endorsements (target_account_id);

-- Suggestions that a user has dismissed.
CREATE TABLE suggestion_dismissals (
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target_account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (account_id, target_account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX suggestion_dismissals_of_target ON suggestion_dismissals (target_account_id);
