-- Jobs of one lane wait for one another and for no others. Within a lane, hosts take turns; most lanes have one, ''.
ALTER TABLE jobs ADD COLUMN lane TEXT NOT NULL DEFAULT 'main';
ALTER TABLE jobs ADD COLUMN host TEXT NOT NULL DEFAULT '';

UPDATE jobs SET lane = CASE
  WHEN kind = 'media.process' THEN 'media'
  WHEN kind IN ('home.fill', 'home.rebuild') THEN 'home'
  WHEN kind = 'push.deliver' THEN 'push'
  WHEN kind = 'card.fetch' THEN 'links'
  ELSE 'main'
END;

DROP INDEX jobs_due;
CREATE INDEX jobs_waiting ON jobs (lane, host, run_at) WHERE run_at IS NOT NULL;

-- When each host that has jobs waiting is next in turn, so that finding one costs the same however many wait.
-- Rows without waiting jobs do no harm: the loop removes them.
CREATE TABLE job_turns (
  lane TEXT NOT NULL,
  host TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (lane, host)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_turns_due ON job_turns (lane, at);

INSERT INTO job_turns (lane, host, at)
SELECT lane, host, min(run_at) FROM jobs WHERE run_at IS NOT NULL GROUP BY lane, host;

CREATE TRIGGER jobs_enqueued AFTER INSERT ON jobs WHEN NEW.run_at IS NOT NULL BEGIN
  INSERT INTO job_turns (lane, host, at) VALUES (NEW.lane, NEW.host, NEW.run_at)
  ON CONFLICT DO UPDATE SET at = min(at, excluded.at);
END;

CREATE TRIGGER jobs_postponed AFTER UPDATE OF leased, run_at ON jobs
WHEN NEW.leased = 0 AND NEW.run_at IS NOT NULL BEGIN
  INSERT INTO job_turns (lane, host, at) VALUES (NEW.lane, NEW.host, NEW.run_at)
  ON CONFLICT DO UPDATE SET at = min(at, excluded.at);
END;
