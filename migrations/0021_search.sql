-- One row per status, under its id. `words` is its text, prepared by lib/text/search-words.ts; `marks` are artificial
-- words for its properties and participants, so that one look-up answers a whole query, newest first.
CREATE VIRTUAL TABLE status_search USING fts5 (
  words, marks,
  content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

CREATE TRIGGER status_search_forget AFTER DELETE ON statuses BEGIN
  DELETE FROM status_search WHERE rowid = old.id;
END;
