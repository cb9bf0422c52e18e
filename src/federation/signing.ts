import type { Context } from "../context.ts";
import type { Tx } from "../db/open.ts";
import { type AccountKey, keyOf } from "../core/people/account-keys.ts";
import type { SignatureForm } from "../lib/signatures.ts";
import { keyIdOf } from "./addresses.ts";

/** Headers that sign a GET as the server itself, so that no fetch reveals which user caused it. */
export async function signFetch(ctx: Context, url: URL, form: SignatureForm): Promise<Record<string, string>> {
  return sign(ctx, await keyOf(ctx, null), { method: "GET", url: url.href }, form);
}

interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Headers that sign a POST with the key of a local account, or of the server itself. */
export function signPost(ctx: Context, key: AccountKey, post: Post, form: SignatureForm) {
  return sign(ctx, key, { method: "POST", ...post }, form);
}

function sign(
  ctx: Context,
  { privateKey, username }: AccountKey,
  request: Parameters<Context["signer"]["sign"]>[0],
  form: SignatureForm,
): Promise<Record<string, string>> {
  return ctx.signer.sign(request, { keyId: keyIdOf(ctx, username), privateKey }, form, ctx.clock.now());
}

/** The form of signatures that a host accepts: draft-cavage, unless the other one worked where that did not. */
export function formFor(ctx: Context, host: string): SignatureForm {
  const row = ctx.db.get<{ signature: SignatureForm }>("SELECT signature FROM hosts WHERE domain = +$host", { host });
  return row?.signature ?? "cavage";
}

export function otherForm(form: SignatureForm): SignatureForm {
  return form === "cavage" ? "rfc9421" : "cavage";
}

/** Remembers the form of signatures that a host accepts. */
export function rememberForm(ctx: Context, tx: Tx, host: string, signature: SignatureForm): void {
  tx.run(
    `INSERT INTO hosts (domain, signature, last_used_at) VALUES ($host, $signature, $now)
     ON CONFLICT (domain) DO UPDATE SET signature = excluded.signature, last_used_at = excluded.last_used_at`,
    { host, signature, now: ctx.clock.now() },
  );
}
