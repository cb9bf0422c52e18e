import { OPEN_POLICY } from "../../src/core/interaction-policies.ts";
import { NO_QUOTERS } from "../../src/core/quotes/policy.ts";
import { storeRemoteReblog } from "../../src/core/statuses/reblogs.ts";
import { removeStatusWithin } from "../../src/core/statuses/removal.ts";
import { type RemoteStatus, storeRemoteStatus } from "../../src/core/statuses/storing.ts";
import { type RemoteVersion, storeRemoteVersion } from "../../src/core/statuses/versions.ts";
import { STATUS_COLUMNS, type StatusRow } from "../../src/core/visibility.ts";
import type { Client, Json } from "./client.ts";
import { remoteAccount, type RemoteAccount } from "./remote-rows.ts";
import type { TestServer } from "./server.ts";

/* Statuses of other servers, stored by the functions that federation uses. */

/** Adds a remote account. */
export function remoteAuthor(server: TestServer, username: string): RemoteAccount {
  return remoteAccount(server, { username });
}

/** Makes one account follow another, without the work of a follow. */
export function followRow(
  server: TestServer,
  from: { id: string },
  to: { id: string },
  options: { notify?: boolean; showReblogs?: boolean; languages?: string[] } = {},
): void {
  const { notify = false, showReblogs = true, languages } = options;
  server.ctx.db.transaction((tx) =>
    tx.run(
      `INSERT INTO follows (account_id, target_account_id, notify, show_reblogs, languages, created_at)
       VALUES ($from, $to, $notify, $showReblogs, $languages, 0)`,
      {
        from: Number(from.id),
        to: Number(to.id),
        notify: notify ? 1 : 0,
        showReblogs: showReblogs ? 1 : 0,
        languages: languages ? JSON.stringify(languages) : null,
      },
    ),
  );
}

/** The properties of a remote status that a test sets. Mentions and addressees are accounts, tags are words. */
export type Sent = Partial<Omit<RemoteStatus, "mentions" | "addressees" | "tags">> & {
  mentions?: readonly { id: string }[];
  addressees?: readonly { id: string }[];
  tags?: readonly string[];
};

function described(sent: Sent) {
  const idsOf = (people: readonly { id: string }[] = []) => people.map(({ id }) => Number(id));
  return {
    visibility: "public" as const,
    content: "<p>from afar</p>",
    spoilerText: "",
    sensitive: false,
    language: "en",
    links: [],
    poll: null,
    originCounts: null,
    ...sent,
    mentions: idsOf(sent.mentions),
    addressees: idsOf(sent.addressees),
    tags: (sent.tags ?? []).map((written) => ({ name: written.toLowerCase(), written })),
  };
}

let count = 0;

/** Stores a status of a remote account, by default a public one of now. Returns its id; null if it was deleted before. */
export function storeFrom(
  server: TestServer,
  author: RemoteAccount,
  sent: Sent = {},
  arrival: "delivered" | "fetched" = "delivered",
): string | null {
  const { ctx, clock } = server;
  count += 1;
  const uri = sent.uri ?? `${author.uri}/statuses/${count}`;
  const status: RemoteStatus = {
    uri,
    url: uri.replace("/users/", "/@"),
    inReplyToUri: null,
    createdAt: clock.now(),
    editedAt: null,
    quoters: NO_QUOTERS,
    policy: OPEN_POLICY,
    quote: null,
    attachMedia: null,
    ...described(sent),
    accountId: Number(author.id),
  };
  const id = ctx.db.transaction((tx) => storeRemoteStatus(ctx, tx, status, arrival));
  return id === null ? null : String(id);
}

/** Stores a present state of a remote status, by default an edit of now. */
export function updateFrom(
  server: TestServer,
  id: string | null,
  sent: Sent & { editedAt?: number | null; replaceMedia?(): void; hasMedia?: boolean },
): void {
  const { ctx, clock } = server;
  const version: RemoteVersion = {
    editedAt: clock.now(),
    hasMedia: false,
    replaceMedia: () => {},
    quoters: NO_QUOTERS,
    policy: OPEN_POLICY,
    quote: null,
    ...described(sent),
  };
  ctx.db.transaction((tx) => storeRemoteVersion(ctx, tx, rowOf(server, id), version));
}

/** Stores a reblog by a remote account. Returns its id; null if it was undone before. */
export function reblogFrom(
  server: TestServer,
  author: RemoteAccount,
  originalId: string | null,
  { uri, createdAt }: { uri?: string; createdAt?: number } = {},
  arrival: "delivered" | "fetched" = "delivered",
): string | null {
  const { ctx, clock } = server;
  const reblog = {
    uri: uri ?? `${author.uri}#reblogs/${originalId}`,
    accountId: Number(author.id),
    original: rowOf(server, originalId),
    visibility: "public" as const,
    createdAt: createdAt ?? clock.now(),
  };
  const id = ctx.db.transaction((tx) => storeRemoteReblog(ctx, tx, reblog, arrival));
  return id === null ? null : String(id);
}

/** Deletes a remote status or reblog, as its author's server asks to. */
export function removeFrom(server: TestServer, id: string | null): void {
  const { ctx } = server;
  ctx.db.transaction((tx) => removeStatusWithin(ctx, tx, rowOf(server, id), true));
}

export function rowOf(server: TestServer, id: string | null): StatusRow {
  return server.ctx.db.get<StatusRow>(`SELECT ${STATUS_COLUMNS} FROM statuses s WHERE s.id = $id`, { id: Number(id) })!;
}

/** The statuses of a home timeline, newest first. */
export async function homeIdsOf(who: Client): Promise<string[]> {
  return ((await who.get("/api/v1/timelines/home?limit=40")).json as Json[]).map(({ id }) => id);
}

/** The notifications, newest first, as type and status. */
export async function notificationsOf(who: Client): Promise<[type: string, statusId: string | undefined][]> {
  const { json } = await who.get("/api/v1/notifications");
  return (json as Json[]).map(({ type, status }) => [type, status?.id]);
}
