import type { Context } from "../../context.ts";

/** In ms. */
const PAUSE = 250;

/**
 * Call it before each step of a delivery. While many activities arrive, it pauses: otherwise this server would accept a wave of
 * follows at half the rate, because it prepares and sends the answers meanwhile.
 */
export async function yieldToBacklog(ctx: Context): Promise<void> {
  if (ctx.hasBacklog) await Bun.sleep(PAUSE);
}
