import type { Context } from "../../context.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { FetchError } from "./fetch.ts";

/*
 * Limits of the requests that activities cause. Without them, anyone could direct this server's requests at another
 * server: with activities whose objects, parents or mentions are there.
 */

/** Requests for one activity. A thread of twenty parents with unknown authors needs sixty. */
const MAX_REQUESTS = 100;
/** How long an activity waits when there have been too many requests, in ms. */
const PAUSE = 60_000;

/** Too many requests for activities of a site, or to one, within a minute. */
export class TooManyFetches extends FetchError {
  constructor(
    readonly until: number,
    /** Whether nothing was requested for the activity. */
    readonly isFirst: boolean,
  ) {
    super("unavailable", "throttled");
  }
}

/** A context for handling one activity of a sender, whose requests to other servers are limited. */
export function contextFor(ctx: Context, sender: string): Context {
  const { queue, bySender, toTarget } = ctx.activityFetches;
  let requests = 0;
  const count = (to: string) => {
    // Not before: few activities need a request, and finding the site takes 10 µs.
    const from = siteOf(sender);
    if (requests >= MAX_REQUESTS) throw new FetchError("refused", "an activity needs too many requests");
    const now = ctx.clock.now();
    if (bySender.look(from, now).exceeded || toTarget.look(to, now).exceeded) {
      throw new TooManyFetches(now + PAUSE, requests === 0);
    }
    requests += 1;
    bySender.take(from, now);
    toTarget.take(to, now);
  };
  const limited: Context = Object.create(ctx);
  limited.fetchOutside = (url, request) => {
    const check = (hop: URL) => {
      request.check?.(hop);
      count(siteOf(hop.href));
    };
    return queue.take(siteOf(url), () => ctx.fetchOutside(url, { ...request, check }));
  };
  return limited;
}
