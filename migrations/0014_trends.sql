-- Who used a hashtag or a link in public statuses that aren't sensitive, and how often, on which day in UTC (days since
-- 1970). Kept for as long as trends look back.
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

-- The same summed up, so that a history costs seven rows however many people there are.
CREATE TABLE trend_days (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'link')),
  subject_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  accounts INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX trend_days_by_day ON trend_days (day);

-- By triggers, since uses also go with their account.
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

-- What stands out, ranked anew every hour. A subject is a tag, a status or, for a link, its preview card.
CREATE TABLE trends (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'status', 'link')),
  subject_id INTEGER NOT NULL,
  score REAL NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trends_by_score ON trends (kind, score);

-- What staff thinks of it; no row means that nobody has looked.
CREATE TABLE trend_reviews (
  kind TEXT NOT NULL CHECK (kind IN ('tag', 'status', 'link')),
  subject_id INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  reviewed_at INTEGER NOT NULL,
  PRIMARY KEY (kind, subject_id)
) STRICT, WITHOUT ROWID;

-- What may trend: the few that several have favourited or reblogged. The query repeats these words.
CREATE INDEX statuses_noticed ON statuses (id)
  WHERE visibility = 'public' AND reblog_of_id IS NULL AND favourites_count + reblogs_count > 1;

-- What was written before there were trends.
INSERT INTO trend_uses (kind, subject_id, day, account_id, uses)
SELECT 'tag', t.tag_id, s.created_at / 86400000, s.account_id, count(*)
FROM statuses s JOIN status_tags t ON t.status_id = s.id
WHERE s.visibility = 'public' AND s.sensitive = 0 AND s.created_at > (unixepoch() - 7 * 86400) * 1000
GROUP BY 2, 3, 4;
INSERT INTO trend_uses (kind, subject_id, day, account_id, uses)
SELECT 'link', l.link_id, s.created_at / 86400000, s.account_id, count(*)
FROM statuses s JOIN status_links l ON l.status_id = s.id
WHERE s.visibility = 'public' AND s.sensitive = 0 AND s.created_at > (unixepoch() - 7 * 86400) * 1000
GROUP BY 2, 3, 4;
