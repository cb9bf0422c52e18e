import { join } from "node:path";
import type { Context } from "../context.ts";
import { readOrCreateSecret } from "../lib/files.ts";

/**
 * The key for secrets that must be recoverable. It is in a file of its own, so that a copy of the database alone contains
 * no usable token and no secret of an authenticator app.
 */
export function sealingKey(ctx: Context): Uint8Array {
  return readOrCreateSecret(join(ctx.config.data, "push.key"), 32);
}
