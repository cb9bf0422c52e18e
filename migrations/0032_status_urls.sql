-- Most pages have Mastodon's address: https://host/@name/1 for https://host/users/name/statuses/1. They are found by the
-- URI, which has an index of its own: a second one is a sixth of what storing a remote status writes to the disk.
DROP INDEX statuses_by_url;
CREATE INDEX statuses_by_url ON statuses (url)
  WHERE local = 0 AND url <> uri AND uri <> replace(rtrim(url, '0123456789'), '/@', '/users/') || 'statuses/'
    || substr(url, length(rtrim(url, '0123456789')) + 1);
