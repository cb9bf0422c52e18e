-- A job is written in the transaction that causes it and deleted when it is done. A `key` is unique. A job that has given
-- up keeps its row, with its error and without `run_at`.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  key TEXT UNIQUE,
  payload TEXT NOT NULL,
  run_at INTEGER,
  leased INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  created_at INTEGER NOT NULL,
  -- Jobs wait only for jobs of the same lane. Within a lane, hosts take turns; most lanes have only the host ''.
  lane TEXT NOT NULL DEFAULT 'main',
  host TEXT NOT NULL DEFAULT ''
) STRICT;

-- The home timeline answers 206 while the job that fills it exists.
CREATE INDEX jobs_filling_home ON jobs (payload ->> 'accountId')
  WHERE kind IN ('home.fill', 'home.rebuild') AND run_at IS NOT NULL;
CREATE INDEX jobs_waiting ON jobs (lane, host, run_at) WHERE run_at IS NOT NULL;

CREATE TRIGGER jobs_enqueued AFTER INSERT ON jobs WHEN NEW.run_at IS NOT NULL BEGIN
  INSERT INTO job_turns (lane, host, at) VALUES (NEW.lane, NEW.host, NEW.run_at)
  ON CONFLICT DO UPDATE SET at = min(at, excluded.at);
END;

CREATE TRIGGER jobs_postponed AFTER UPDATE OF leased, run_at ON jobs
WHEN NEW.leased = 0 AND NEW.run_at IS NOT NULL BEGIN
  INSERT INTO job_turns (lane, host, at) VALUES (NEW.lane, NEW.host, NEW.run_at)
  ON CONFLICT DO UPDATE SET at = min(at, excluded.at);
END;

-- The next run of each host with waiting jobs, so that finding one costs the same however many jobs wait.
-- A row without waiting jobs is harmless: the loop removes it.
CREATE TABLE job_turns (
  lane TEXT NOT NULL,
  host TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_turns_due ON job_turns (lane, at);
