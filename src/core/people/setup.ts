import type { Context } from "../../context.ts";
import { hashSecret, newSecret, sameSecret } from "../../lib/secrets.ts";
import { setState, stateOf } from "../server/server-state.ts";
import { hasUsers } from "./users.ts";

const NAME = "setup_token";

/** Creates a new token for the link that creates the first owner, and invalidates earlier ones. */
export function newSetupToken(ctx: Context): string {
  const token = newSecret();
  ctx.db.transaction((tx) => setState(tx, NAME, hashSecret(token)));
  return token;
}

/** Whether this is the current setup token, and there is no user yet. */
export function isSetupToken(ctx: Context, token: string): boolean {
  const kept = stateOf(ctx.db, NAME);
  return kept !== null && !hasUsers(ctx) && sameSecret(hashSecret(token), kept);
}
