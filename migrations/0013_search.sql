-- One row a status, under its id. `words` is what it says, prepared by lib/search-words.ts; `marks` is what it is and who
-- has a part in it, as words of our own, so that one look-up answers a whole query, newest first.
CREATE VIRTUAL TABLE status_search USING fts5 (
  words, marks,
  content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

CREATE TRIGGER status_search_forget AFTER DELETE ON statuses BEGIN
  DELETE FROM status_search WHERE rowid = old.id;
END;
