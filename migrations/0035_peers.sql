-- When a host last sent something, to the minute, and when a delivery last reached it, to the hour.
ALTER TABLE hosts ADD COLUMN last_received_at INTEGER;
ALTER TABLE hosts ADD COLUMN last_reached_at INTEGER;
-- Its software as its NodeInfo names it, such as `mastodon 4.5.0`, and when it was last asked for that.
ALTER TABLE hosts ADD COLUMN software TEXT;
ALTER TABLE hosts ADD COLUMN software_checked_at INTEGER NOT NULL DEFAULT 0;

CREATE INDEX hosts_by_software_check ON hosts (software_checked_at) WHERE down_since IS NULL;
