import type { Context } from "../../context.ts";
import { keysToTry } from "../../core/people/account-keys.ts";
import type { Tx } from "../../db/open.ts";
import { enqueue, type JobPayloads } from "../../db/queue.ts";
import { siteOf } from "../../lib/http/ip-addresses.ts";
import { ACTIVITY_TYPE, hostOf } from "../documents.ts";
import { formFor, otherForm } from "../signing.ts";
import type { Outgoing } from "../write/outgoing.ts";
import { postWith } from "./send.ts";

type Farewell = JobPayloads["delivery.farewell"];

/** Has an activity sent that must reach a server although nothing else does any more. */
export function bidFarewell(ctx: Context, tx: Tx, { accountId, activity }: Outgoing, inboxes: readonly string[]): void {
  const body = JSON.stringify(activity);
  for (const inbox of inboxes) {
    enqueue(ctx, tx, "delivery.farewell", { inbox, accountId, body }, { host: siteOf(inbox) });
  }
}

/** Sends an activity once. Whether it arrives is not recorded: the server is forgotten. */
export async function sendFarewell(ctx: Context, { inbox, accountId, body }: Farewell): Promise<void> {
  const content = { body, headers: { "content-type": ACTIVITY_TYPE } };
  const form = formFor(ctx, hostOf(inbox)!);
  for (const key of await keysToTry(ctx, accountId, null)) {
    for (const each of [form, otherForm(form)]) {
      const failure = await postWith(ctx, inbox, content, key, each);
      if (failure?.status !== 401) return;
    }
  }
}
