import type { Context } from "../../context.ts";
import type { Audience } from "../delivery/recipients.ts";
import type { JsonObject } from "../documents.ts";

/** An activity that other servers have to get. */
export interface Outgoing {
  /** The local account that signs it; null for the server itself. */
  accountId: number | null;
  activity: JsonObject;
  audience: Audience;
  /** The status that it creates or changes, if any: it is not sent once that is deleted. */
  statusUri: string | null;
  /** The follow that it asks for, if any: what becomes of it is recorded. */
  followUri?: string;
  /** The replaced key that signs it, if it is not the account's current one. */
  keyId?: number;
  /** The status that it publishes, if any: its author sees which servers have it. */
  published?: { statusId: number; isEdit: boolean };
  /** Whether the account's followers are compared (FEP-8fcf). */
  syncsFollowers?: boolean;
}

interface Address {
  uri: string;
  username: string;
}

/** An account by its id. Local ones keep their row when they are deleted. */
export function accountWith(ctx: Context, accountId: number): Address | null {
  return ctx.db.get<Address>("SELECT uri, username FROM accounts WHERE id = +$accountId", { accountId });
}

/** An id for an activity that no row stands for. It has the account's URI with a fragment that never repeats. */
export function fragment(ctx: Context, uri: string, name: string): string {
  return `${uri}#${name}/${ctx.ids.next()}`;
}
