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
