-- An accepted quote keeps its row when the quoted status is deleted, so that the API can show that there was one.
CREATE TABLE quotes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  status_id INTEGER NOT NULL UNIQUE REFERENCES statuses (id) ON DELETE CASCADE,
  quoted_status_id INTEGER REFERENCES statuses (id) ON DELETE SET NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'rejected', 'revoked', 'deleted')),
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX quotes_of_status ON quotes (quoted_status_id, id) WHERE quoted_status_id IS NOT NULL;
