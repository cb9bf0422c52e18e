import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { createAnnouncement } from "../src/core/announcements.ts";
import { readConfig, SETTINGS } from "../src/config.ts";
import * as schema from "../src/db/schema/index.ts";
import { rebuildHomeLater } from "../src/core/home-filling.ts";
import { scheduleSweep } from "../src/jobs/orphans.ts";
import { removeDomainBlock, setDomainBlock } from "../src/core/domain-blocks.ts";
import { lift, moderate } from "../src/core/moderation.ts";
import { resolveReport } from "../src/core/reports.ts";
import { scheduleTrends } from "../src/jobs/trends.ts";
import type { Client, Json } from "./support/client.ts";
import { Device } from "./support/push-service.ts";
import { inProcess, startServer, type TestServer } from "./support/server.ts";
import { uploaded } from "./support/uploads.ts";

/*
 * The rules of the house, as docs/design.md tells them.
 */

const ROOT = join(import.meta.dir, "..");

/** What may be imported from: anything on a line above, and one's own folder. Files of src itself stand by their name. */
const LINES = [
  ["lib", "errors.ts", "config.ts", "version.ts"],
  ["db"],
  ["context.ts"],
  ["core"],
  ["entities", "oauth", "federation"],
  ["api", "web", "jobs"],
  ["app.ts"],
  ["main.ts", "cli"],
];
/** Tooling: it puts the program together and is no part of it. */
const OUTSIDE = new Set(["build"]);
const MAX_LINES = 500;

interface Import {
  from: string;
  to: string;
  isType: boolean;
}

const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .filter((file) => !OUTSIDE.has(file.split("/")[0]!));
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, "src", file), "utf8")]));

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[^"';]*?\sfrom\s+)?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

const imports: Import[] = [...texts].flatMap(([from, text]) =>
  [...text.matchAll(IMPORT)].map((found) => ({
    from,
    to: relative("/", join("/", dirname(from), found[2] ?? found[3]!)),
    isType: found[1] !== undefined,
  })),
);

const isCode = (file: string) => texts.has(file);

const isFolder = (file: string) => file.includes("/");

function lineOf(file: string): number {
  const line = LINES.findIndex((names) => names.includes(file.split("/")[0]!));
  if (line === -1) throw new Error(`src/${file} is on no line of the design`);
  return line;
}

describe("The layers", () => {
  test("are known of every file, and every import leads to one", () => {
    for (const file of files) lineOf(file);
    expect(files.length).toBeGreaterThan(50);
    expect(imports.length).toBeGreaterThan(files.length);
    const lost = imports.filter(({ to }) => /\.tsx?$/.test(to) && !isCode(to));
    expect(lost).toEqual([]);
  });

  test("are imported from downwards only, and peers leave one another alone", () => {
    const wrong = imports.filter(({ from, to }) => {
      if (!isCode(to) || from.split("/")[0] === to.split("/")[0]) return false;
      const [own, other] = [lineOf(from), lineOf(to)];
      // A single file beside a folder, as main.ts is beside cli, is no peer of it.
      return other > own || (other === own && isFolder(from) && isFolder(to));
    });
    expect(wrong.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  test("have no cycle of files", () => {
    const edges = Map.groupBy(
      imports.filter(({ to, isType }) => isCode(to) && !isType),
      ({ from }) => from,
    );
    const done = new Set<string>();
    const cycleFrom = (file: string, path: string[]): string[] | null => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return null;
      for (const { to } of edges.get(file) ?? []) {
        const cycle = cycleFrom(to, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return null;
    };
    for (const file of files) expect(cycleFrom(file, [])).toBeNull();
  });
});

describe("A file", () => {
  test(`has at most ${MAX_LINES} lines`, () => {
    const long = [...texts].filter(([, text]) => text.trimEnd().split("\n").length > MAX_LINES);
    expect(long.map(([file]) => file)).toEqual([]);
  });

  test.each<[string, RegExp, (file: string) => boolean]>([
    ["reads the environment only where settings are read", /\bprocess\.env\b|\bBun\.env\b/, (file) => isReader(file)],
    ["asks the context what time it is", /\bnew Date\(\)|\bDate\.now\(\)/, (file) => !file.startsWith("core/")],
    ["knows its types", /\bas any\b|: any\b|<any>|@ts-(?:ignore|nocheck)/, () => false],
    ["leaves nothing to be done", /\b(?:TODO|FIXME|XXX)\b/, () => false],
    ["waits for nothing inside a transaction", /\.transaction\(\s*async\b/, () => false],
  ])("%s", (_, pattern, isAllowed) => {
    const found = [...texts].filter(([file, text]) => pattern.test(text) && !isAllowed(file));
    expect(found.map(([file]) => file)).toEqual([]);
  });
});

function isReader(file: string): boolean {
  return file === "config.ts" || file === "main.ts" || file.startsWith("cli/");
}

test("the README tells every setting as it is", () => {
  const rows = readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/^\| *`(LINNET_\w+)` *\|([^|]*)\|([^|]*)\|$/gm);
  const told = [...rows].map(([, name, fallback, meaning]) => ({
    name,
    fallback: fallback!.replaceAll("`", "").trim(),
    meaning: meaning!.trim(),
  }));
  expect(told).toEqual(SETTINGS.map((setting) => ({ ...setting })));
});

test("the defaults that the README tells are those that are taken", () => {
  const told = Object.fromEntries(
    SETTINGS.filter(({ fallback }) => fallback !== "" && !fallback.includes(" ")).map((setting) => [
      setting.name,
      setting.fallback,
    ]),
  );
  expect(readConfig(told)).toEqual(readConfig({}));
});

describe("The database", () => {
  let server: TestServer;
  /** Every statement that ran, as it was prepared. */
  const statements = new Set<string>();

  beforeAll(async () => {
    server = await startServer({ LINNET_SHOW_DOMAIN_BLOCKS: "all" });
  });
  afterAll(() => server.stop());

  test("has every table of the schema, column by column, and no other", () => {
    const described = Object.values(schema)
      .filter((table) => is(table, SQLiteTable))
      .map((table) => {
        const { name, columns, primaryKeys } = getTableConfig(table as SQLiteTable);
        const key = new Set(primaryKeys.flatMap((primary) => primary.columns.map((column) => column.name)));
        return [
          name,
          columns.map((column) => ({
            name: column.name,
            type: column.getSQLType().toUpperCase(),
            notNull: column.notNull,
            primary: column.primary || key.has(column.name),
          })),
        ];
      });
    const migrated = server.ctx.db
      .all<{ name: string }>(
        // Full-text tables are beyond what the schema can say.
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .map(({ name }) => [name, columnsOf(name)]);
    expect(Object.fromEntries(migrated)).toEqual(Object.fromEntries(described));
  });

  function columnsOf(table: string) {
    return server.ctx.db
      .all<{ name: string; type: string; notnull: number; pk: number }>(
        'SELECT name, type, "notnull", pk FROM pragma_table_info(?) ORDER BY cid',
        table,
      )
      .map(({ name, type, notnull, pk }) => ({ name, type, notNull: notnull === 1 || pk > 0, primary: pk > 0 }));
  }

  test("finds by an index whatever refers to a row, so that deleting it goes through no table", () => {
    const { db } = server.ctx;
    const references = db.all<{ name: string; field: string }>(`
      SELECT m.name, f."from" AS field FROM main.sqlite_schema m JOIN pragma_foreign_key_list(m.name) f
      WHERE m.type = 'table'`);
    expect(references.length).toBeGreaterThan(30);
    const indexed = db.all<{ name: string; field: string }>(`
      SELECT m.name, c.name AS field
      FROM main.sqlite_schema m JOIN pragma_index_list(m.name) i JOIN pragma_index_info(i.name) c
      WHERE m.type = 'table' AND c.seqno = 0
      UNION ALL SELECT m.name, t.name FROM main.sqlite_schema m JOIN pragma_table_info(m.name) t
      WHERE m.type = 'table' AND t.pk = 1`);
    const found = new Set(indexed.map(({ name, field }) => `${name}.${field}`));
    const missing = references.map(({ name, field }) => `${name}.${field}`).filter((field) => !found.has(field));
    expect(missing.filter((field) => !NEVER_SOUGHT.has(field))).toEqual([]);
  });

  inProcess("answers from its indexes: it goes through no large table, and puts no page in order", async () => {
    const { raw } = server.ctx.db;
    const prepare = raw.prepare.bind(raw);
    raw.prepare = ((sql: string) => {
      statements.add(sql);
      return prepare(sql);
    }) as typeof raw.prepare;
    await useEverything(server);
    expect(statements.size).toBeGreaterThan(80);
    const problems = [...statements].flatMap((sql) => {
      const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[];
      return plan.map(({ detail }) => problemIn(sql, detail)).filter((problem) => problem !== null);
    });
    expect(problems).toEqual([]);
  });
});

/** Tables that stay small, since a server has a handful of people, of rules, of terms and of announcements. */
const SMALL = new Set(["users", "changed", "rules", "terms_of_service", "announcements", "domain_blocks"]);

/** Apps are kept for ever; codes live for minutes. */
const NEVER_SOUGHT = new Set(["statuses.app_id", "oauth_codes.app_id", "oauth_codes.user_id", "oauth_codes.token_id"]);

/** What may cost more, and why. */
const KNOWN = [
  // A part of a name may stand anywhere in it.
  /display_name LIKE/,
  // Several hashtags at once, each of which lies in order by itself.
  /SELECT DISTINCT s\.id, s\.id AS cursor FROM status_tags/,
  // The directory is read along an index that holds nobody else, in its order.
  /^SCAN a USING INDEX accounts_directory_/,
  // Whether anybody is limited or suspended at all: the first one says so.
  /^SCAN accounts (?:EXISTS )?USING INDEX accounts_(?:silenced|suspended)$/,
  // Suggestions are put in order by how many reasons there are.
  /suggestion_dismissals/,
  // Nobody has more than three hundred scheduled statuses.
  /FROM scheduled_statuses s WHERE s\.account_id/,
  // Reblogs of one status are found by it and by who made them, not by age.
  /WHERE s\.reblog_of_id = \+\?4/,
];

function problemIn(sql: string, detail: string): string | null {
  if (KNOWN.some((pattern) => pattern.test(sql) || pattern.test(detail))) return null;
  const isPage = sql.endsWith("LIMIT +?3");
  if (isPage && detail.startsWith("USE TEMP B-TREE FOR ORDER BY")) return `${detail}: ${sql}`;
  // Bounds of a page alone: everything there is between them is looked at.
  if (isPage && detail.includes("USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")) return `${detail}: ${sql}`;
  const scanned = /^SCAN (?:\w+\.)?(\w+)/.exec(detail)?.[1];
  if (scanned === undefined || detail.includes("VIRTUAL TABLE") || scanned === "CONSTANT") return null;
  // What isn't a table under that name or alias is a result put together before.
  const table = new RegExp(`\\b(?:FROM|JOIN) (?:main\\.|temp\\.)?(\\w+) ${scanned}\\b`).exec(sql)?.[1] ?? scanned;
  const isTable = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO) (?:main\\.|temp\\.)?${table}\\b`).test(sql);
  const isNamedHere = new RegExp(`\\b${table} (?:\\([\\w, ]+\\) )?AS (?:MATERIALIZED )?\\(`).test(sql);
  return isTable && !isNamedHere && !SMALL.has(table) ? `${detail}: ${sql}` : null;
}

/** Asks for everything once, so that every statement of the API has run. */
async function useEverything(server: TestServer): Promise<void> {
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
  server.ctx.db.transaction((tx) => scheduleTrends(server.ctx, tx, server.clock.now()));
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

/** Bob has Alice in a list, and follows a hashtag. */
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
  server.ctx.db.transaction((tx) => scheduleSweep(server.ctx, tx, server.clock.now()));
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
    lift(ctx, Number(alice.id), action);
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
