-- The job that fills a home timeline is the mark that it is being filled: it stands until the job is done, or gives up.
CREATE INDEX jobs_filling_home ON jobs (payload ->> 'accountId')
  WHERE kind IN ('home.fill', 'home.rebuild') AND run_at IS NOT NULL;
