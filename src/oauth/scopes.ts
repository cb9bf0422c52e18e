const READ = [
  "read:accounts",
  "read:blocks",
  "read:bookmarks",
  "read:favourites",
  "read:filters",
  "read:follows",
  "read:lists",
  "read:mutes",
  "read:notifications",
  "read:search",
  "read:statuses",
] as const;

const WRITE = [
  "write:accounts",
  "write:blocks",
  "write:bookmarks",
  "write:conversations",
  "write:favourites",
  "write:filters",
  "write:follows",
  "write:lists",
  "write:media",
  "write:mutes",
  "write:notifications",
  "write:reports",
  "write:statuses",
] as const;

const ADMIN_READ = [
  "admin:read:accounts",
  "admin:read:reports",
  "admin:read:domain_allows",
  "admin:read:domain_blocks",
  "admin:read:ip_blocks",
  "admin:read:email_domain_blocks",
  "admin:read:canonical_email_blocks",
] as const;

const ADMIN_WRITE = [
  "admin:write:accounts",
  "admin:write:reports",
  "admin:write:domain_allows",
  "admin:write:domain_blocks",
  "admin:write:ip_blocks",
  "admin:write:email_domain_blocks",
  "admin:write:canonical_email_blocks",
] as const;

/** Covered by `follow`, a scope from before they became granular (Mastodon's documentation, api/oauth-scopes). */
const FOLLOW = ["read:blocks", "write:blocks", "read:follows", "write:follows", "read:mutes", "write:mutes"] as const;

/** All scopes in the order of Mastodon's documentation. */
export const SCOPES = [
  "read",
  ...READ,
  "write",
  ...WRITE,
  "follow",
  "push",
  "profile",
  "admin:read",
  ...ADMIN_READ,
  "admin:write",
  ...ADMIN_WRITE,
] as const;

export type Scope = (typeof SCOPES)[number];

const KNOWN = new Set<string>(SCOPES);
const COVERED: Record<string, readonly Scope[]> = {
  read: READ,
  write: WRITE,
  follow: FOLLOW,
  "admin:read": ADMIN_READ,
  "admin:write": ADMIN_WRITE,
};

export function isKnownScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** Splits a list of scopes at white space or `+` and drops duplicates; null when it is empty or one is unknown. */
export function parseScopes(text: string): Scope[] | null {
  const scopes = [...new Set(text.split(/[\s+]+/).filter(Boolean))];
  return scopes.length > 0 && scopes.every(isKnownScope) ? scopes : null;
}

/** Whether the scopes in `granted` include `wanted`. */
export function covers(granted: readonly string[], wanted: Scope): boolean {
  return granted.some((scope) => scope === wanted || (COVERED[scope]?.includes(wanted) ?? false));
}

/** The scopes that no wider one in the list covers, for display. */
export function broadestScopes(scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => !scopes.some((wider) => wider !== scope && covers([wider], scope)));
}
