import type { Context } from "../../context.ts";
import type { Tx } from "../../db/open.ts";
import { jobKeys } from "../delivery/hosts.ts";
import { dropAll } from "../delivery/send.ts";
import { hostOf } from "../documents.ts";

/** Forgets what was exchanged with some hosts: what waits to be sent or processed, and what is known of the hosts. */
export function forgetAddresses(ctx: Context, tx: Tx, isMeant: (host: string) => boolean): void {
  const isOfHost = (url: string) => isMeant(hostOf(url) ?? "");
  for (const { inbox } of tx.all<{ inbox: string }>("SELECT DISTINCT inbox FROM deliveries")) {
    if (!isOfHost(inbox)) continue;
    dropAll(ctx, tx, inbox, "its server was forgotten");
    tx.run("DELETE FROM jobs WHERE key > +$from AND key < +$to AND leased = 0", jobKeys(hostOf(inbox)!));
  }
  for (const { host } of tx.all<{ host: string }>("SELECT DISTINCT host FROM refused_deliveries")) {
    if (isMeant(host)) tx.run("DELETE FROM refused_deliveries WHERE host = +$host", { host });
  }
  for (const { host } of tx.all<{ host: string }>("SELECT host FROM incoming_totals WHERE host <> ''")) {
    if (isMeant(host)) tx.run("DELETE FROM incoming_activities WHERE host = +$host", { host });
  }
  for (const { url } of tx.all<{ url: string }>("SELECT url FROM missing_inboxes")) {
    if (isOfHost(url)) tx.run("DELETE FROM missing_inboxes WHERE url = +$url", { url });
  }
  for (const { domain } of tx.all<{ domain: string }>("SELECT domain FROM hosts")) {
    if (isMeant(domain)) tx.run("DELETE FROM hosts WHERE domain = +$domain", { domain });
  }
}
