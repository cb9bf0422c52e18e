-- Threads with a post of a local user are never pruned.
CREATE INDEX statuses_local_of_conversation ON statuses (conversation_id) WHERE local = 1;
