-- Whether the account's followers on the receiving server are sent along (FEP-8fcf).
ALTER TABLE outgoing_activities ADD COLUMN syncs_followers INTEGER NOT NULL DEFAULT 0;
