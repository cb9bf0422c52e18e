import type { Context } from "../context.ts";
import { hashSecret, newSecret, sameSecret } from "../lib/secrets.ts";
import { hasUsers } from "./users.ts";

const NAME = "setup_token";

/** A new secret for the link that makes the first owner; those before it are worth nothing any more. */
export function newSetupToken(ctx: Context): string {
  const token = newSecret();
  ctx.db.transaction((tx) =>
    tx.run(
      "INSERT INTO server_state (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      NAME,
      hashSecret(token),
    ),
  );
  return token;
}

/** Whether this is the newest link's secret, and there is nobody yet. */
export function isSetupToken(ctx: Context, token: string): boolean {
  const kept = ctx.db.get<{ value: string }>("SELECT value FROM server_state WHERE name = ?", NAME);
  return kept !== null && !hasUsers(ctx) && sameSecret(hashSecret(token), kept.value);
}
