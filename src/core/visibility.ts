/**
 * The one answer to "who may see what", as a condition on `statuses s`. `viewer` is the parameter or column that holds the
 * viewer's account id, 0 for nobody. What one may not see does not exist.
 */
export function visibleTo(viewer: string, s = "s"): string {
  return `(
    ${s}.account_id = ${viewer}
    OR (
      (
        ${s}.visibility IN ('public', 'unlisted')
        OR EXISTS (SELECT 1 FROM mentions WHERE status_id = ${s}.id AND account_id = ${viewer})
        OR (${s}.visibility = 'private' AND EXISTS (
          SELECT 1 FROM follows WHERE account_id = ${viewer} AND target_account_id = ${s}.account_id))
      )
      AND NOT ${blocks(`${s}.account_id`, viewer)}
    )
  )`;
}

/**
 * What a viewer who may see a status also wants to see in a timeline: nothing by whom they avoid, and no reblog of such.
 * `now` is the parameter with the present time, since a mute may have ended.
 */
export function wantedBy(viewer: string, now: string, s = "s"): string {
  return `NOT ${avoids(viewer, `${s}.account_id`, now)} AND (${s}.reblog_of_id IS NULL OR EXISTS (
    SELECT 1 FROM statuses o
    WHERE o.id = ${s}.reblog_of_id AND ${visibleTo(viewer, "o")} AND NOT ${avoids(viewer, "o.account_id", now)}))`;
}

/** Whether an account blocks another, or the domain that the other is from. All of these take parameters or columns. */
export function blocks(account: string, other: string): string {
  return `(
    EXISTS (SELECT 1 FROM blocks WHERE account_id = ${account} AND target_account_id = ${other})
    OR ${blocksDomainOf(account, other)})`;
}

/** Whether an account blocks or mutes another. */
export function avoids(account: string, other: string, now: string): string {
  return `(${blocks(account, other)} OR ${mutes(account, other, now)})`;
}

/** Whether an account avoids another, or is blocked by it: then neither stands in the lists that the other sees. */
export function keptApart(account: string, other: string, now: string): string {
  return `(${avoids(account, other, now)} OR ${blocks(other, account)})`;
}

/** Whether an account wants to hear nothing of what another does: a mute may be of statuses alone. */
export function ignores(account: string, other: string, now: string): string {
  return `(${blocks(account, other)} OR ${mutes(account, other, now, "AND hide_notifications")})`;
}

function mutes(account: string, other: string, now: string, condition = ""): string {
  return `EXISTS (
    SELECT 1 FROM mutes
    WHERE account_id = ${account} AND target_account_id = ${other} ${condition} AND (expires_at IS NULL OR expires_at > ${now}))`;
}

/** People of this server have no domain, which ends this before an index is looked into. */
function blocksDomainOf(account: string, other: string): string {
  return `EXISTS (
    SELECT 1 FROM account_domain_blocks
    WHERE account_id = ${account} AND domain = (SELECT domain FROM accounts WHERE id = ${other}))`;
}

/**
 * Whether a status `s` or, of a reblog, its original `o` is in a language that the follow `f` asks for. Every language
 * is asked for where none is named, and where there is no follow.
 */
export const IN_WANTED_LANGUAGE = `(
  f.languages IS NULL OR coalesce(o.language, s.language) IS NULL
  OR coalesce(o.language, s.language) IN (SELECT value FROM json_each(f.languages)))`;
