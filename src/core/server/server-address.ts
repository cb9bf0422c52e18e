import { addressOf, type Address, type Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import type { Reads, Tx } from "../../db/open.ts";
import { Refusal, UsageError } from "../../errors.ts";
import { rewriteAddress } from "./new-address.ts";
import { setState, stateOf } from "./server-state.ts";

/** Fixed by the first account, since the URI of everything on this server contains it. */
const FIXED = "address";
/** The address with which the server was started last. Commands use it until there is an account. */
const STARTED = "started_address";

/**
 * The effective address: the fixed one, or else that of the settings. A command without settings uses the address of
 * the server's last start.
 *
 * @throws UsageError if the settings name another address than the fixed one
 */
export function effectiveAddress(db: Reads, config: Config, isServer: boolean): Address {
  const fixed = fixedAddress(db, config);
  if (fixed) refuseOtherAddress(config, fixed);
  const started = isServer ? null : read(db, STARTED);
  const { asked, port } = config;
  return fixed ?? (asked.origin === null && started ? merged(asked, started) : addressOf(asked, port));
}

/**
 * Call it in the transaction that creates an account: fixes the address.
 *
 * @throws Refusal if the first account was created at another address
 */
export function fixAddress(ctx: Context, tx: Tx): void {
  const { origin, handleDomain } = ctx.config;
  const fixed = fixedAddress(tx, ctx.config);
  if (!fixed) return write(tx, FIXED, ctx.config);
  if (followsPort(ctx.config) || (fixed.origin === origin && fixed.handleDomain === handleDomain)) return;
  throw new Refusal(
    "conflict",
    `The first account was created at ${fixed.origin} (@${fixed.handleDomain}), but this server was started as ${origin} (@${handleDomain}). Restart it with the first address.`,
  );
}

/**
 * Call it when the server starts: stores its address for commands, and fixes it for a database that has accounts
 * already.
 */
export function storeAddress(ctx: Context): void {
  ctx.db.transaction((tx) => {
    write(tx, STARTED, ctx.config);
    const fixed = fixedAddress(tx, ctx.config);
    if (fixed) write(tx, FIXED, fixed);
  });
}

/**
 * For commands: refuses settings with another address than that of the running server. As long as there is no account,
 * the command could fix its address for good, and the server would then refuse every sign-up and its next start.
 */
export function refuseBesideServer(db: Reads, config: Config, isRunning: () => boolean): void {
  const started = read(db, STARTED);
  if (!started || fixedAddress(db, config)) return;
  const { origin, handleDomain } = config;
  if ((started.origin === origin && started.handleDomain === handleDomain) || !isRunning()) return;
  throw new UsageError(
    `The running server is ${started.origin} (@${started.handleDomain}), but with these settings the first account would permanently belong to ${origin} (@${handleDomain}). Use the server's LINNET_URL and LINNET_HANDLE_DOMAIN, or stop the server first.`,
  );
}

/** Refuses settings that name another address than this one. */
export function refuseOtherAddress({ asked }: Config, fixed: Address): void {
  const { origin = null, handleDomain = null } = asked;
  const move = [`linnet move ${origin ?? fixed.origin}`, handleDomain && `--handle-domain ${handleDomain}`];
  const what = `Set it back, or remove the setting. As long as no other server knows this one, "${move.filter(Boolean).join(" ")}" gives it the new address.`;
  if (asked.origin !== null && asked.origin !== fixed.origin) {
    throw new UsageError(
      `LINNET_URL is ${asked.origin}, but the accounts of this server were created at ${fixed.origin}. ${what}`,
    );
  }
  if (asked.handleDomain !== null && asked.handleDomain !== fixed.handleDomain) {
    throw new UsageError(
      `LINNET_HANDLE_DOMAIN is ${asked.handleDomain}, but the handles of this server end in @${fixed.handleDomain}. ${what}`,
    );
  }
}

/**
 * Whether the server's address depends on the port it gets: with LINNET_PORT=0 on localhost, for tests. After a
 * restart, existing rows contain the previous port.
 */
export function followsPort({ asked, origin, port }: Config): boolean {
  return port === 0 && asked.origin === null && isLocalhost(origin);
}

/**
 * On localhost without LINNET_URL, another port is another address.
 *
 * @throws UsageError if the port doesn't match the address
 */
export function refuseOtherPort({ asked, origin, port }: Config): void {
  const fixed = new URL(origin).port || "80";
  if (asked.origin !== null || port === 0 || !isLocalhost(origin) || fixed === String(port)) return;
  throw new UsageError(
    `The address of this server is ${origin}, but LINNET_PORT is ${port}. Set LINNET_PORT=${fixed}. If something else passes port ${fixed} on to Linnet, set LINNET_URL=${origin}, too.`,
  );
}

function isLocalhost(origin: string): boolean {
  const { hostname, protocol } = new URL(origin);
  return hostname === "localhost" && protocol === "http:";
}

/** The address of the existing accounts; null if there are none. */
export function fixedAddress(db: Reads, config: Pick<Config, "asked">): Address | null {
  return read(db, FIXED) ?? oldestAddress(db, config);
}

/** For databases from before the address was stored. */
function oldestAddress(db: Reads, { asked }: Pick<Config, "asked">): Address | null {
  const row = db.get<{ uri: string }>(
    "SELECT a.uri FROM users u JOIN accounts a ON a.id = u.account_id ORDER BY u.id LIMIT 1",
  );
  if (!row) return null;
  const { origin, host } = new URL(row.uri);
  return { origin, handleDomain: asked.handleDomain ?? host };
}

/** Gives the server another address, everywhere in the database. Returns how many values have changed. */
export function changeAddress(tx: Tx, from: Address, to: Address): number {
  const changes = rewriteAddress(tx, from, to);
  for (const name of [FIXED, STARTED]) write(tx, name, to);
  return changes;
}

function merged(asked: Config["asked"], { origin, handleDomain }: Address): Address {
  return { origin, handleDomain: asked.handleDomain ?? handleDomain };
}

function read(db: Reads, name: string): Address | null {
  const text = stateOf(db, name);
  return text === null ? null : (JSON.parse(text) as Address);
}

function write(tx: Tx, name: string, { origin, handleDomain }: Address): void {
  setState(tx, name, JSON.stringify({ origin, handleDomain }));
}
