import type { Context } from "../../context.ts";
import { hashSecret, newSecret, sameSecret } from "../../lib/secrets.ts";
import { setState, stateOf } from "../server/server-state.ts";
import { hasUsers } from "./users.ts";

const NAME = "setup_token";

/** A new secret for the link that makes the first owner; those before it are worth nothing any more. */
export function newSetupToken(ctx: Context): string {
  const token = newSecret();
  ctx.db.transaction((tx) => setState(tx, NAME, hashSecret(token)));
  return token;
}

/** Whether this is the newest link's secret, and there is nobody yet. */
export function isSetupToken(ctx: Context, token: string): boolean {
  const kept = stateOf(ctx.db, NAME);
  return kept !== null && !hasUsers(ctx) && sameSecret(hashSecret(token), kept);
}
