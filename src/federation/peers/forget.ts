import type { Tx } from "../../db/open.ts";
import { jobKeys } from "../delivery/hosts.ts";
import { removeUnused } from "../delivery/send.ts";
import { hostOf } from "../documents.ts";

/** Forgets what was exchanged with some hosts: what waits to be sent or processed, and what is known of the hosts. */
export function forgetAddresses(tx: Tx, isMeant: (host: string) => boolean): void {
  const isOfHost = (url: string) => isMeant(hostOf(url) ?? "");
  for (const { inbox } of tx.all<{ inbox: string }>("SELECT DISTINCT inbox FROM deliveries")) {
    if (isOfHost(inbox)) dropDeliveries(tx, inbox);
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

function dropDeliveries(tx: Tx, inbox: string): void {
  const dropped = tx.all<{ activity_id: number }>(
    "DELETE FROM deliveries WHERE inbox = +$inbox RETURNING activity_id",
    { inbox },
  );
  removeUnused(
    tx,
    dropped.map(({ activity_id }) => activity_id),
  );
  tx.run("DELETE FROM jobs WHERE key > +$from AND key < +$to AND leased = 0", jobKeys(hostOf(inbox)!));
}
