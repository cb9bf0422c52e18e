import type { Context } from "../../context.ts";
import { OutboundError, type OutboundResponse } from "../../lib/http/outbound.ts";
import { checkHost, FetchError, problemOf } from "./fetch.ts";

const LIMITS = { maxBytes: 64 * 1024, timeout: 5000, redirects: 3 };

/**
 * Fetches a small document at a domain, without a signature. Closed networks may have no certificates.
 *
 * @throws FetchError
 */
export async function fetchAtDomain(
  ctx: Context,
  domain: string,
  path: string,
  accept: string[],
): Promise<OutboundResponse> {
  try {
    return await fetchSmall(ctx, `https://${domain}${path}`, accept);
  } catch (error) {
    // Background fetches refuse an address that was unreachable a moment ago.
    const isUnreachable = error instanceof FetchError && error.problem !== "gone";
    if (!ctx.config.allowPrivateAddresses || !isUnreachable) throw error;
    return fetchSmall(ctx, `http://${domain}${path}`, accept);
  }
}

/** Fetches a small document, without a signature. @throws FetchError */
export async function fetchSmall(ctx: Context, url: string, accept: string[]): Promise<OutboundResponse> {
  try {
    return await ctx.fetchOutside(url, { ...LIMITS, accept, check: (hop) => checkHost(ctx, hop) });
  } catch (error) {
    throw error instanceof OutboundError ? problemOf(error) : error;
  }
}
