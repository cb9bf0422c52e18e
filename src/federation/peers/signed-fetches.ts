import type { Context } from "../../context.ts";
import { OutboundError, type OutboundResponse } from "../../lib/http/outbound.ts";
import type { SignatureForm } from "../../lib/signatures.ts";
import { serverActorUri } from "../addresses.ts";
import { DOCUMENT_TYPES } from "../documents.ts";
import { checkHost, FetchError, signedGet } from "../fetching/fetch.ts";
import { formFor, rememberForm } from "../signing.ts";
import { differenceOf, type Finding, ok, problem, unknown } from "./findings.ts";

const NAMES: Record<SignatureForm, string> = { cavage: "draft-cavage", rfc9421: "RFC 9421" };
const UNSIGNED = { accept: DOCUMENT_TYPES, maxBytes: 1024 * 1024, timeout: 10_000, redirects: 3 };

/** The results of fetching one account in three ways: null if it succeeded. */
export interface SignedFetches {
  cavage: Failure | null;
  rfc9421: Failure | null;
  unsigned: Failure | null;
  /** That of the first signed fetch that succeeded. */
  response: OutboundResponse | null;
  /** How far its clock is ahead, in ms; null if that is unknown. */
  difference: number | null;
}

interface Failure {
  status: number | null;
  message: string;
}

type Result = { response: OutboundResponse; failure: null } | { response: null; failure: Failure };

/** Fetches an account with each form of signature, and without one. */
export async function signedFetches(ctx: Context, uri: string): Promise<SignedFetches> {
  const cavage = await resultOf(() => signedGet(ctx, uri, "cavage"));
  const rfc9421 = await resultOf(() => signedGet(ctx, uri, "rfc9421"));
  const unsigned = await resultOf(() => ctx.fetchOutside(uri, { ...UNSIGNED, check: (url) => checkHost(ctx, url) }));
  const dated = cavage.response ?? rfc9421.response ?? unsigned.response;
  return {
    cavage: cavage.failure,
    rfc9421: rfc9421.failure,
    unsigned: unsigned.failure,
    response: cavage.response ?? rfc9421.response,
    difference: dated && differenceOf(dated.headers, ctx.clock.now()),
  };
}

async function resultOf(fetch: () => Promise<OutboundResponse>): Promise<Result> {
  try {
    return { response: await fetch(), failure: null };
  } catch (error) {
    if (error instanceof OutboundError) {
      return { response: null, failure: { status: error.status, message: error.message } };
    }
    if (error instanceof FetchError) return { response: null, failure: { status: null, message: error.message } };
    throw error;
  }
}

export function fetchFinding({ cavage, response }: SignedFetches, uri: string): Finding {
  const check = "Signed fetch";
  if (response) return ok(check, `${uri} was fetched with the signature of this server.`);
  return problem(check, `${cavage!.message}. The lines on signatures and blocks say what to do.`);
}

/** Remembers the form if the host accepts only one. */
export function signatureFinding(ctx: Context, fetches: SignedFetches, host: string): Finding {
  const check = "Signature";
  const accepted = (["cavage", "rfc9421"] as const).filter((form) => fetches[form] === null);
  if (accepted.length === 0) {
    return problem(
      check,
      `It accepts neither form. It has to fetch ${serverActorUri(ctx)}: open that address from outside, and check the clock above.`,
    );
  }
  if (accepted.length === 1) {
    ctx.db.transaction((tx) => rememberForm(ctx, tx, host, accepted[0]!));
    return ok(check, `It accepts ${NAMES[accepted[0]!]} only. Linnet uses that from now on.`);
  }
  const used = NAMES[formFor(ctx, host)];
  if (fetches.unsigned) return ok(check, `It accepts both forms. Linnet uses ${used}.`);
  return unknown(
    check,
    `It serves accounts without a signature, so it may not check them. Linnet uses ${used}, and the other form after a refused delivery. There is nothing to do.`,
  );
}

/** 401 and 403 are for this server. */
export function blockFinding({ cavage, rfc9421, unsigned, response }: SignedFetches, host: string): Finding {
  const check = "Block";
  if (response) return ok(check, "It serves accounts to this server, so there is no sign that it blocks it.");
  const isForbidden = cavage?.status === 403 || rfc9421?.status === 403;
  const isUnauthorised = cavage?.status === 401 && rfc9421?.status === 401;
  if (isForbidden || (isUnauthorised && !unsigned)) {
    return problem(
      check,
      `It probably blocks this server (${cavage!.message}). Ask the moderators of ${host} for the reason.`,
    );
  }
  if (isUnauthorised) {
    return unknown(
      check,
      `It refuses the signature (401), as a server that blocks this one may do. First follow the line on the signature; if that is in order, ask the moderators of ${host}.`,
    );
  }
  return unknown(check, `The fetch failed for another reason (${cavage!.message}). Try again later.`);
}
