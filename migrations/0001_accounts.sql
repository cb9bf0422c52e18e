CREATE TABLE accounts (
  id INTEGER PRIMARY KEY,
  username TEXT NOT NULL,
  domain TEXT,
  display_name TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '',
  note_html TEXT NOT NULL DEFAULT '',
  fields TEXT NOT NULL DEFAULT '[]',
  uri TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  avatar TEXT,
  avatar_static TEXT,
  avatar_description TEXT NOT NULL DEFAULT '',
  header TEXT,
  header_static TEXT,
  header_description TEXT NOT NULL DEFAULT '',
  locked INTEGER NOT NULL DEFAULT 0,
  bot INTEGER NOT NULL DEFAULT 0,
  discoverable INTEGER NOT NULL DEFAULT 0,
  indexable INTEGER NOT NULL DEFAULT 0,
  hide_collections INTEGER NOT NULL DEFAULT 0,
  attribution_domains TEXT NOT NULL DEFAULT '[]',
  followers_count INTEGER NOT NULL DEFAULT 0,
  following_count INTEGER NOT NULL DEFAULT 0,
  statuses_count INTEGER NOT NULL DEFAULT 0,
  last_status_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Tabs that the profile shows.
  show_media INTEGER NOT NULL DEFAULT 1,
  show_media_replies INTEGER NOT NULL DEFAULT 1,
  show_featured INTEGER NOT NULL DEFAULT 1,
  -- When moderators decided this; a decision about the domain has the same time as the domain's row.
  suspended_at INTEGER,
  silenced_at INTEGER,
  sensitized_at INTEGER,
  -- A deleted local account keeps its row, so that its name is never given to someone else.
  deleted_at INTEGER
) STRICT;

-- One local account per name, ignoring case; one remote account per name and domain.
CREATE UNIQUE INDEX accounts_handle ON accounts (lower(username), coalesce(domain, ''));
CREATE INDEX accounts_directory_active ON accounts (last_status_at, id) WHERE discoverable = 1;
CREATE INDEX accounts_directory_new ON accounts (id) WHERE discoverable = 1;
CREATE INDEX accounts_avatar ON accounts (avatar) WHERE avatar GLOB 'avatars/*';
CREATE INDEX accounts_avatar_static ON accounts (avatar_static) WHERE avatar_static GLOB 'avatars/*';
CREATE INDEX accounts_header ON accounts (header) WHERE header GLOB 'headers/*';
CREATE INDEX accounts_header_static ON accounts (header_static) WHERE header_static GLOB 'headers/*';

-- Nearly empty, so that every timeline query can probe them. Queries name them with INDEXED BY.
CREATE INDEX accounts_suspended ON accounts (id) WHERE suspended_at IS NOT NULL;
CREATE INDEX accounts_silenced ON accounts (id) WHERE silenced_at IS NOT NULL;
CREATE INDEX accounts_of_domain ON accounts (domain) WHERE domain IS NOT NULL;

-- A trigger, so that no insert can forget the domain's rule. The longest matching domain decides.
CREATE TRIGGER accounts_of_blocked_domain AFTER INSERT ON accounts WHEN new.domain IS NOT NULL BEGIN
  UPDATE accounts
  SET silenced_at = CASE rule.severity WHEN 'silence' THEN rule.created_at END,
    suspended_at = CASE rule.severity WHEN 'suspend' THEN rule.created_at END
  FROM (
    SELECT severity, created_at FROM domain_blocks
    WHERE new.domain = domain OR substr(new.domain, -length(domain) - 1) = '.' || domain
    ORDER BY length(domain) DESC LIMIT 1) rule
  WHERE accounts.id = new.id AND rule.severity <> 'noop';
END;

CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL UNIQUE REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT,
  password_hash TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'moderator', 'user')),
  locale TEXT NOT NULL DEFAULT 'en',
  default_privacy TEXT NOT NULL DEFAULT 'public',
  default_sensitive INTEGER NOT NULL DEFAULT 0,
  default_language TEXT,
  created_at INTEGER NOT NULL,
  -- 0 while the sign-up is pending. `reason` is the user's own, for wanting to join.
  approved INTEGER NOT NULL DEFAULT 1,
  reason TEXT,
  default_quote_policy TEXT NOT NULL DEFAULT 'public',
  -- The notification policy, by kind of sender: 0 accept, 1 filter, 2 drop. The strictest applies.
  for_not_following INTEGER NOT NULL DEFAULT 0 CHECK (for_not_following IN (0, 1, 2)),
  for_not_followers INTEGER NOT NULL DEFAULT 0 CHECK (for_not_followers IN (0, 1, 2)),
  for_new_accounts INTEGER NOT NULL DEFAULT 0 CHECK (for_new_accounts IN (0, 1, 2)),
  for_private_mentions INTEGER NOT NULL DEFAULT 0 CHECK (for_private_mentions IN (0, 1, 2)),
  for_limited_accounts INTEGER NOT NULL DEFAULT 1 CHECK (for_limited_accounts IN (0, 1, 2)),
  -- Frozen: can't sign in, and tokens are refused.
  disabled INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX users_email ON users (lower(email)) WHERE email IS NOT NULL;
