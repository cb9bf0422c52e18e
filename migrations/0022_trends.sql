-- Uses of a hashtag or link in public, non-sensitive statuses, by account and UTC day (days since 1970). Kept for as long
-- as trends look back.
CREATE TABLE trend_uses (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'link')),
  subject_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  account_id INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  uses INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id, day, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trend_uses_of_account ON trend_uses (account_id);
CREATE INDEX trend_uses_by_day ON trend_uses (day);

-- Triggers, since deleting an account deletes its uses, too.
CREATE TRIGGER trend_uses_added AFTER INSERT ON trend_uses BEGIN
  INSERT INTO trend_days (kind, subject_id, day, uses, accounts)
  VALUES (new.kind, new.subject_id, new.day, new.uses, 1)
  ON CONFLICT (kind, subject_id, day) DO UPDATE SET uses = uses + excluded.uses, accounts = accounts + 1;
END;

CREATE TRIGGER trend_uses_changed AFTER UPDATE OF uses ON trend_uses BEGIN
  UPDATE trend_days SET uses = uses + new.uses - old.uses
  WHERE kind = new.kind AND subject_id = new.subject_id AND day = new.day;
END;

CREATE TRIGGER trend_uses_removed AFTER DELETE ON trend_uses BEGIN
  UPDATE trend_days SET uses = uses - old.uses, accounts = accounts - 1
  WHERE kind = old.kind AND subject_id = old.subject_id AND day = old.day;
END;

-- The same per day, so that a history reads seven rows however many accounts there are.
CREATE TABLE trend_days (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'link')),
  subject_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  accounts INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX trend_days_by_day ON trend_days (day);

-- The hourly ranking. A subject is a tag, a status or, for a link, its preview card.
CREATE TABLE trends (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'status', 'link')),
  subject_id INTEGER NOT NULL,
  score REAL NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trends_by_score ON trends (kind, score);

-- Decisions by staff; no row means that it has not been reviewed.
CREATE TABLE trend_reviews (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'status', 'link')),
  subject_id INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  reviewed_at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT, WITHOUT ROWID;
