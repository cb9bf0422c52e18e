import type { Value } from "../../src/db/open.ts";
import { insertRemoteMedia } from "../../src/core/remote-media/remote-attachments.ts";
import { setRemotePictures } from "../../src/core/remote-media/remote-pictures.ts";
import type { Client, Json } from "./client.ts";
import { remoteAccount, remoteEmoji, remoteStatus } from "./rows.ts";
import type { TestServer } from "./server.ts";

type Row = Record<string, Value>;

/**
 * Writes statuses and accounts of every kind: with media, polls, quotes, cards, mentions, hashtags and emoji, matched by
 * the viewer's filters.
 */
export async function everyEntity(server: TestServer, author: Client, viewer: Client): Promise<void> {
  insert(server, "custom_emojis", { shortcode: "here", ...FILES_OF_EMOJI, created_at: 1, updated_at: 1 });
  remoteEmoji(server, "far", "far.example");
  update(server, "accounts", Number(author.id), PROFILE);
  const first = await author.publish({ status: `first @viewer :here: #one #two ${PAGES[0]}`, spoiler_text: "warning" });
  const second = await author.publish(`second #three ${PAGES[1]}`);
  for (const [at, url] of PAGES.entries()) insertCard(server, author, at + 1, url);
  for (const [at, { id }] of [first, second, second].entries()) insertMedia(server, author, Number(id), at);
  update(server, "statuses", Number(second.id), { quote_manual: '["followers"]' });
  await publishPolls(author);
  await author.publish({ status: "a quote", quoted_status_id: first.id });
  await author.publish({ status: "another quote", quoted_status_id: second.id, quote_approval_policy: "nobody" });
  await viewer.publish({ status: "a reply", in_reply_to_id: first.id, visibility: "unlisted", language: "de" });
  await viewer.post(`/api/v1/statuses/${second.id}/reblog`);
  insertRemote(server, author);
  await filter(viewer, { title: "One", context: ["home"] }, "first", second);
  await filter(viewer, { title: "Two", context: ["thread"] }, "pol", first);
}

/** A status with media of another server, and one of a domain whose media are rejected. */
function insertRemote(server: TestServer, author: Client): void {
  const { ctx } = server;
  for (const [domain, reject_media] of [
    ["far.example", 0],
    ["rejected.example", 1],
  ] as const) {
    const account = remoteAccount(server, "remote", domain);
    const status = remoteStatus(server, account, "from afar :far:", { hasMedia: true });
    ctx.db.transaction((tx) => {
      setRemotePictures(tx, Number(account), PICTURES);
      insertRemoteMedia(ctx, tx, Number(status), Number(account), ATTACHMENTS);
    });
    const moved_to_id = reject_media ? null : Number(author.id);
    update(server, "accounts", Number(account), { ...COUNTS, actor_type: "Group", moved_to_id });
    insert(server, "domain_blocks", { domain, severity: "noop", reject_media, created_at: 1 });
  }
}

const PICTURES = {
  avatarUrl: "https://far.example/avatar.png",
  avatarDescription: "An avatar",
  headerUrl: "https://far.example/header.png",
  headerDescription: "A header",
};

const ATTACHMENTS = [
  {
    type: "image" as const,
    contentType: "image/png",
    url: "https://far.example/picture.png",
    previewUrl: "https://far.example/small.png",
    description: "A picture",
    width: 30,
    height: 40,
    focusX: 0,
    focusY: 0,
    blurhash: "B",
  },
];

const PAGES = ["http://news.example/one", "http://news.example/two"];

const FILES_OF_EMOJI = { image: "a.gif", static_image: "a.png", category: "Some", visible_in_picker: 1 };

const PROFILE = {
  display_name: "A :here:",
  note_html: "<p>A note</p>",
  attribution_domains: '["news.example"]',
  fields: '[{"name":"Site","value":"x","html":"<p>x</p>","verified_at":null}]',
  avatar: "a.png",
  avatar_static: "b.png",
  avatar_description: "An avatar",
  header: "c.png",
  header_static: "d.png",
  header_description: "A header",
};

const COUNTS = { origin_followers_count: 100, origin_following_count: 100, origin_statuses_count: 100 };

async function publishPolls(author: Client): Promise<void> {
  const open = { options: ["red", "blue"], expires_in: 3600 };
  const secret = { options: ["yes", "no", ":here:"], expires_in: 3600, hide_totals: true };
  for (const poll of [open, secret]) await author.publish({ status: "a poll", poll });
}

async function filter(viewer: Client, settings: object, keyword: string, status: Json): Promise<void> {
  const keywords_attributes = [{ keyword, whole_word: false }];
  const { json } = await viewer.post("/api/v2/filters", { ...settings, expires_in: 3600, keywords_attributes });
  await viewer.post(`/api/v2/filters/${json.id}/statuses`, { status_id: status.id });
}

/** The card of a linked page, written by `author`, without a request for the page. */
function insertCard(server: TestServer, author: Client, id: number, url: string): void {
  insert(server, "preview_cards", {
    id,
    url,
    type: "link",
    title: `Page ${id}`,
    description: "A page",
    language: "en",
    author_name: "Ada",
    author_url: "http://ada.example/",
    creator_account_id: Number(author.id),
    provider_name: "News",
    provider_url: "http://news.example/",
    html: "<p>Page</p>",
    width: 3,
    height: 4,
    embed_url: "http://news.example/embed",
    image_remote_url: "http://news.example/card.png",
    image_description: "A picture",
    blurhash: "B",
    published_at: 5,
    updated_at: 6,
  });
  const link = server.ctx.db.get<{ id: number }>("SELECT id FROM links WHERE url = +$url", { url })!;
  update(server, "links", link.id, { card_id: id });
}

function insertMedia(server: TestServer, author: Client, statusId: number, position: number): void {
  const type = ["image", "video", "audio"][position]!;
  insert(server, "media_attachments", {
    id: server.ctx.ids.next(),
    account_id: Number(author.id),
    status_id: statusId,
    position,
    type,
    content_type: `${type}/x`,
    file: `${type}.file`,
    file_size: 1,
    width: 30,
    height: 40,
    small: `${type}.png`,
    small_width: 8,
    small_height: 9,
    description: `Some ${type}`,
    blurhash: "B",
    duration: type === "image" ? null : 1.5,
    frame_rate: "30/1",
    bitrate: 100,
    colors: '{"background":"#000000"}',
    created_at: 1,
  });
  update(server, "statuses", statusId, { has_media: 1 });
}

function insert({ ctx }: TestServer, table: string, row: Row): void {
  const names = Object.keys(row);
  const values = names.map((name) => `$${name}`).join(", ");
  ctx.db.transaction((tx) => tx.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${values})`, row));
}

function update({ ctx }: TestServer, table: string, id: number, changes: Row): void {
  const assignments = Object.keys(changes).map((name) => `${name} = $${name}`);
  ctx.db.transaction((tx) =>
    tx.run(`UPDATE ${table} SET ${assignments.join(", ")} WHERE id = +$id`, { ...changes, id }),
  );
}
