import type { Context } from "../../context.ts";
import { OutboundError } from "../../lib/http/outbound.ts";
import { checkHost, FetchError } from "../fetching/fetch.ts";
import { differenceOf, type Finding, ok, problem } from "./findings.ts";

const NAME = "Name resolution";
const CONNECTION = "Connection";
/** Only whether there is a response matters, and its date. */
const BOUNDS = { accept: [], maxBytes: 0, truncate: true, timeout: 10_000, redirects: 3 };

interface Reached {
  findings: Finding[];
  isReached: boolean;
  /** How far its clock is ahead, in ms; null if that is unknown. */
  difference: number | null;
}

/** Whether a domain has an address, and something there responds. */
export async function reach(ctx: Context, domain: string): Promise<Reached> {
  const first = await request(ctx, `https://${domain}`);
  const isWithoutTls = ctx.config.allowPrivateAddresses && first instanceof OutboundError && isSilent(first);
  const result = isWithoutTls ? await request(ctx, `http://${domain}`) : first;
  if (!(result instanceof OutboundError)) return { findings: found(domain), isReached: true, difference: result };
  // A response with an error status is one, too. Its headers are not known.
  if (result.kind === "status") return { findings: found(domain), isReached: true, difference: null };
  return { findings: failed(domain, result), isReached: false, difference: null };
}

function found(domain: string): Finding[] {
  return [ok(NAME, `${domain} has an address.`), ok(CONNECTION, "It responds.")];
}

function failed(domain: string, { kind, message }: OutboundError): Finding[] {
  if (kind === "unresolved")
    return [problem(NAME, `${message}. Check the spelling of ${domain}, and the DNS server of this machine.`)];
  if (kind === "refused")
    return [
      problem(NAME, `${message}. Nothing is sent to it. The owner of ${domain} has to correct its DNS or redirect.`),
    ];
  return [
    ok(NAME, `${domain} has an address.`),
    problem(
      CONNECTION,
      `${message}. Open https://${domain} in a browser elsewhere: if it opens, check the network and firewall of this machine; otherwise wait until the server is back, then run "linnet peer retry ${domain}".`,
    ),
  ];
}

function isSilent({ kind }: OutboundError): boolean {
  return kind === "unreachable" || kind === "timeout";
}

/** The difference of the clocks, or the error. */
async function request(ctx: Context, origin: string): Promise<number | null | OutboundError> {
  try {
    const check = (url: URL) => checkHost(ctx, url);
    const { headers } = await ctx.fetchOutside(`${origin}/.well-known/nodeinfo`, { ...BOUNDS, check });
    return differenceOf(headers, ctx.clock.now());
  } catch (error) {
    if (error instanceof OutboundError) return error;
    // It redirected to a blocked host, or to this server.
    if (error instanceof FetchError) return null;
    throw error;
  }
}
