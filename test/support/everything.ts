import { deleteAccount } from "../../src/core/people/account-deletion.ts";
import { createAnnouncement } from "../../src/core/server/announcements.ts";
import { rebuildHomeLater } from "../../src/core/timelines/home-backfill.ts";
import { schedule } from "../../src/jobs/recurring.ts";
import { removeDomainBlock, setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { liftAction, moderate } from "../../src/core/moderation/moderation.ts";
import { resolveReport } from "../../src/core/moderation/reports.ts";
import type { Client, Json } from "./client.ts";
import { Device } from "./push-service.ts";
import type { TestServer } from "./server.ts";
import { uploaded } from "./uploads.ts";

/** Calls the whole API once, so that every statement runs. */
export async function useEverything(server: TestServer): Promise<void> {
  const [alice, bob] = [await server.person("alice"), await server.person("bob")];
  await usePush(server, alice, bob);
  const media = await uploaded(alice);
  const status = await alice.publish({ status: "@bob #tag", media_ids: [media.id] });
  const reply = await bob.publish({ status: "@alice hi", in_reply_to_id: status.id });
  await alice.patch("/api/v1/accounts/update_credentials", { locked: true, note: "@bob" });
  for (const verb of ["follow", "unfollow", "follow"]) await bob.post(`/api/v1/accounts/${alice.id}/${verb}`);
  await alice.post(`/api/v1/follow_requests/${bob.id}/authorize`);
  for (const verb of ["favourite", "bookmark", "reblog", "mute", "pin"]) {
    for (const who of [alice, bob]) await who.post(`/api/v1/statuses/${status.id}/${verb}`);
  }
  await alice.put(`/api/v1/statuses/${status.id}`, { status: "@bob #other" });
  await alice.post("/api/v1/markers", { home: { last_read_id: "1" }, notifications: { last_read_id: "1" } });
  const cursors = ["", "min_id=1", "since_id=1&max_id=9007199254740991"];
  for (const path of pathsOf(alice.id, status.id)) {
    for (const cursor of cursors) {
      for (const who of [alice, server.stranger()]) await who.get(path + (path.includes("?") ? "&" : "?") + cursor);
    }
  }
  for (const verb of ["unfavourite", "unbookmark", "unreblog", "unmute", "unpin"]) {
    for (const who of [alice, bob]) await who.post(`/api/v1/statuses/${status.id}/${verb}`);
  }
  const [{ group_key: group }]: Json[] = (await alice.get("/api/v2/notifications")).json.notification_groups;
  for (const part of ["", "/accounts"]) await alice.get(`/api/v2/notifications/${group}${part}`);
  await alice.post(`/api/v2/notifications/${group}/dismiss`);
  await useRequests(server, alice, bob);
  const [notification]: Json[] = (await bob.get("/api/v1/notifications")).json;
  await bob.get(`/api/v1/notifications/${notification.id}`);
  await bob.post(`/api/v1/notifications/${notification.id}/dismiss`);
  await bob.post("/api/v1/notifications/clear");
  await alice.delete(`/api/v1/statuses/${status.id}`);
  await alice.delete(`/api/v1/media/${media.id}`);
  await bob.delete(`/api/v1/statuses/${reply.id}`);
  await useRelations(alice, bob);
  await useAnnouncements(server, bob);
  await useLists(server, alice, bob);
  await useFilters(alice, bob);
  await useConversations(server, alice, bob);
  await useModeration(server, alice, bob);
  await bob.post(`/api/v1/accounts/${alice.id}/unfollow`);
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "trends.rank", server.clock.now()));
  await server.drain();
  deleteAccount(server.ctx, Number(bob.id));
  await server.drain();
}

async function usePush(server: TestServer, alice: Client, bob: Client): Promise<void> {
  const path = "/api/v1/push/subscription";
  const subscription = new Device("https://push.example").subscription();
  const data = { alerts: { mention: true }, policy: "followed" };
  for (let times = 0; times < 2; times++) await bob.post(path, { subscription, data });
  await bob.get(path);
  await bob.put(path, { data: { alerts: { mention: true, update: true }, policy: "all" } });
  await alice.publish("@bob hi");
  await server.drain();
}

async function useAnnouncements(server: TestServer, bob: Client): Promise<void> {
  const draft = {
    text: "@alice :blob: https://example.org",
    startsAt: null,
    endsAt: null,
    allDay: false,
    publishAt: null,
  };
  const path = `/api/v1/announcements/${createAnnouncement(server.ctx, draft)}`;
  await bob.put(`${path}/reactions/${encodeURIComponent("👍")}`);
  await bob.get("/api/v1/announcements");
  await bob.delete(`${path}/reactions/${encodeURIComponent("👍")}`);
  await bob.post(`${path}/dismiss`);
}

async function useRequests(server: TestServer, alice: Client, bob: Client): Promise<void> {
  const path = "/api/v1/notifications/requests";
  await alice.put("/api/v2/notifications/policy", { for_not_following: "filter" });
  for (const verb of ["dismiss", "accept"]) {
    await bob.publish({ status: "@alice psst", visibility: "direct" });
    const [request]: Json[] = (await alice.get(path)).json;
    for (const part of [`/${request.id}`, "/merged"]) await alice.get(path + part);
    await alice.post(`${path}/${request.id}/${verb}`);
  }
  await alice.get("/api/v2/notifications/policy");
}

/** Bob has Alice in a list and follows a hashtag. */
async function useLists(server: TestServer, alice: Client, bob: Client): Promise<void> {
  await alice.patch("/api/v1/accounts/update_credentials", { locked: false });
  await alice.publish("#tea before");
  for (const action of ["unfollow", "follow"]) await bob.post(`/api/v1/accounts/${alice.id}/${action}`);
  const { id } = (await bob.post("/api/v1/lists", { title: "Friends" })).json;
  const members = { account_ids: [alice.id, bob.id] };
  await bob.post(`/api/v1/lists/${id}/accounts`, members);
  for (const action of ["follow", "unfollow", "feature", "unfeature", "follow"]) {
    await bob.post(`/api/v1/tags/tea/${action}`);
  }
  await server.drain();
  await alice.publish("#tea, @bob?");
  await bob.post(`/api/v1/statuses/${(await alice.publish("a boost")).id}/reblog`);
  for (const path of [
    ...["", `/${id}`, `/${id}/accounts`, `/${id}/accounts?min_id=1`].map((it) => `lists${it}`),
    ...["", "?min_id=1"].map((it) => `timelines/list/${id}${it}`),
    `accounts/${alice.id}/lists`,
    "followed_tags",
    "tags/tea",
    "featured_tags",
    "featured_tags/suggestions",
  ]) {
    await bob.get(`/api/v1/${path}`);
  }
  for (const exclusive of [true, false]) await bob.put(`/api/v1/lists/${id}`, { title: "Few", exclusive });
  server.ctx.db.transaction((tx) => rebuildHomeLater(server.ctx, tx, Number(bob.id)));
  await server.drain();
  await bob.delete(`/api/v1/lists/${id}/accounts`, members);
  await bob.delete(`/api/v1/lists/${id}`);
}

async function useFilters(alice: Client, bob: Client): Promise<void> {
  const keywords_attributes = [{ keyword: "tea" }];
  const filter = (await bob.post("/api/v2/filters", { title: "Tea", context: ["home"], keywords_attributes })).json;
  const { id } = await alice.publish("tea, coffee or cocoa? https://example.org/");
  await bob.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: id });
  for (const path of ["v2/filters", `v2/filters/${filter.id}/keywords`, "v1/filters", "v1/timelines/home"]) {
    await bob.get(`/api/${path}`);
  }
  await bob.put(`/api/v1/filters/${filter.keywords[0].id}`, { phrase: "coffee", context: ["home"] });
  await bob.delete(`/api/v2/filters/${filter.id}`);
  for (const q of ["tea", "tea from:alice during:2026-11-21 -during:2026-11-20", "#tea", "alice"]) {
    for (const more of ["", "&min_id=1", "&resolve=true&exclude_unreviewed=true"]) {
      await bob.get(`/api/v2/search?q=${encodeURIComponent(q)}${more}`);
    }
  }
  await bob.get(`/api/v2/search?resolve=true&q=${encodeURIComponent(`${alice.origin}/@alice/${id}`)}`);
}

async function useConversations(server: TestServer, alice: Client, bob: Client): Promise<void> {
  const { id } = await alice.publish({ status: "@bob psst", visibility: "direct" });
  for (const query of ["", "?min_id=1"]) await bob.get(`/api/v1/conversations${query}`);
  const [conversation]: Json[] = (await bob.get("/api/v1/conversations")).json;
  await bob.post(`/api/v1/conversations/${conversation.id}/read`);
  await alice.delete(`/api/v1/statuses/${id}`);
  await bob.post(`/api/v1/accounts/${alice.id}/block`);
  await bob.post("/api/v1/domain_blocks", { domain: "other.example" });
  await bob.post(`/api/v1/accounts/${alice.id}/unblock`);
  const scheduled_at = new Date(server.clock.now() + 3600_000).toISOString();
  await alice.post("/api/v1/statuses", { status: "later", scheduled_at });
  for (const query of ["", "?min_id=1"]) await alice.get(`/api/v1/scheduled_statuses${query}`);
  server.clock.advance(3600_000);
  server.ctx.db.transaction((tx) => schedule(server.ctx, tx, "media.sweep", server.clock.now()));
  await server.drain();
}

async function useModeration({ ctx }: TestServer, alice: Client, bob: Client): Promise<void> {
  const { json } = await bob.post("/api/v1/reports", { account_id: alice.id });
  for (const domain of ["spam.example", "sub.spam.example"]) setDomainBlock(ctx, domain, {});
  for (const path of ["/api/v1/instance/domain_blocks", "/api/v1/notifications"]) await alice.get(path);
  removeDomainBlock(ctx, "spam.example");
  resolveReport(ctx, Number(json.id), null);
  for (const action of ["silence", "sensitive", "disable", "suspend"] as const) {
    moderate(ctx, Number(alice.id), action, { by: null, text: "", reportId: Number(json.id) });
    liftAction(ctx, Number(alice.id), action);
  }
}

async function useRelations(alice: Client, bob: Client): Promise<void> {
  await bob.post("/api/v1/domain_blocks", { domain: "spam.example" });
  await bob.delete("/api/v1/domain_blocks", { domain: "spam.example" });
  await bob.delete(`/api/v1/suggestions/${alice.id}`);
  await bob.post(`/api/v1/accounts/${alice.id}/note`, { comment: "a note" });
  for (const verb of ["note", "endorse", "unendorse", "mute", "unmute", "remove_from_followers", "block", "unblock"]) {
    await bob.post(`/api/v1/accounts/${alice.id}/${verb}`);
  }
  await bob.delete("/api/v1/profile/avatar");
}

function pathsOf(accountId: string, statusId: string): string[] {
  const timelines = [
    "home",
    "public",
    "public?local=true",
    "public?only_media=true",
    "public?remote=true&only_media=true",
  ];
  const ofAccount = ["", "/statuses", "/statuses?pinned=true", "/statuses?only_media=true", "/statuses?tagged=tag"];
  const ofStatus = ["", "/context", "/history", "/source", "/favourited_by", "/reblogged_by"];
  return [
    ...[...timelines, "tag/tag", "tag/tag?any[]=other", "tag/tag?all[]=other&none[]=x"].map(
      (it) => `/api/v1/timelines/${it}`,
    ),
    ...[...ofAccount, "/followers", "/following", "/endorsements"].map((it) => `/api/v1/accounts/${accountId}${it}`),
    ...ofStatus.map((it) => `/api/v1/statuses/${statusId}${it}`),
    `/api/v1/statuses?id[]=${statusId}`,
    `/api/v1/accounts?id[]=${accountId}`,
    `/api/v1/accounts/relationships?id[]=${accountId}`,
    "/api/v1/accounts/lookup?acct=alice",
    "/api/v1/accounts/search?q=al",
    "/api/v1/accounts/verify_credentials",
    "/api/v1/preferences",
    "/api/v1/custom_emojis",
    "/api/v1/announcements",
    "/api/v1/trends/tags",
    "/api/v1/trends/statuses",
    "/api/v1/trends/links",
    "/api/v1/timelines/link?url=https://news.example/",
    "/api/v1/profile",
    "/api/v1/blocks",
    "/api/v1/mutes",
    "/api/v1/domain_blocks",
    "/api/v1/endorsements",
    "/api/v2/suggestions",
    "/api/v1/directory?order=active",
    "/api/v1/directory?order=new",
    `/api/v1/accounts/familiar_followers?id[]=${accountId}`,
    "/api/v1/favourites",
    "/api/v1/bookmarks",
    "/api/v1/follow_requests",
    "/api/v1/notifications",
    "/api/v1/notifications?types[]=mention&account_id=1",
    "/api/v1/notifications/unread_count",
    "/api/v2/notifications?limit=1",
    "/api/v2/notifications?account_id=1",
    "/api/v2/notifications/unread_count",
    "/api/v2/notifications/ungrouped-1",
    "/api/v1/notifications/requests",
    "/api/v1/markers?timeline[]=home",
    "/api/v1/instance",
    "/api/v2/instance",
    "/nodeinfo/2.0",
  ];
}
