-- The consent of a quoted author on another server, and the request of a quoting author there.
ALTER TABLE quotes ADD COLUMN authorization_uri TEXT;
ALTER TABLE quotes ADD COLUMN request_uri TEXT;

CREATE INDEX quotes_authorized ON quotes (authorization_uri) WHERE authorization_uri IS NOT NULL;
