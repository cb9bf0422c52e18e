ALTER TABLE incoming_activities DROP COLUMN received_at;
