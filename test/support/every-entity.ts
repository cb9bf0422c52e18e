import type { Client } from "./client.ts";
import { remoteAccount, remoteEmoji, remoteStatus } from "./rows.ts";
import type { TestServer } from "./server.ts";

/**
 * Writes statuses and accounts of every kind: with media, polls, quotes, cards, mentions, hashtags and emoji, matched by
 * `viewer`'s filters. Every text differs, so that exchanging two rows shows.
 */
export async function everyEntity(server: TestServer, author: Client, viewer: Client): Promise<void> {
  const { ctx } = server;
  const write = (sql: string) => ctx.db.transaction((tx) => tx.run(sql));
  for (const [shortcode, domain] of [
    ["here", null],
    ["far", "far.example"],
  ] as const) {
    if (domain !== null) remoteEmoji(server, shortcode, domain);
    else
      write(`INSERT INTO custom_emojis (shortcode, image, static_image, category, visible_in_picker, created_at, updated_at)
        VALUES ('${shortcode}', 'emojis/a.gif', 'emojis/a.png', 'Some', 1, 1, 1)`);
  }
  write(`UPDATE accounts SET display_name = 'A :here:', note_html = '<p>A note</p>', attribution_domains = '["news.example"]',
    fields = '[{"name":"Site","value":"x","html":"<p>x</p>","verified_at":null}]', avatar = 'a.png', avatar_static = 'b.png',
    avatar_description = 'An avatar', header = 'c.png', header_static = 'd.png', header_description = 'A header'
    WHERE id = ${author.id}`);
  const first = await author.publish({
    status: "first @viewer :here: #one #two http://news.example/one",
    spoiler_text: "warning",
  });
  const second = await author.publish("second #three http://news.example/two");
  const polls = [
    ["red", "blue"],
    ["yes", "no", ":here:"],
  ].map((options) =>
    author.publish({
      status: `a poll ${options[0]}`,
      poll: { options, expires_in: 3600, hide_totals: options.length > 2 },
    }),
  );
  await Promise.all(polls);
  for (const [at, page] of ["one", "two"].entries()) {
    write(`INSERT INTO preview_cards (id, url, type, title, description, language, author_name, author_url,
        creator_account_id, provider_name, provider_url, html, width, height, embed_url, image, image_description,
        blurhash, published_at, updated_at)
      VALUES (${at + 1}, 'http://news.example/${page}', 'link', 'T ${page}', 'D ${page}', 'en', 'N ${page}', 'http://n.example/',
        ${author.id}, 'P ${page}', 'http://news.example', '<p>', ${at + 3}, 4, 'http://e.example/', 'i.png', 'I', 'B', 5, 6)`);
    write(`UPDATE links SET card_id = ${at + 1} WHERE url = 'http://news.example/${page}'`);
  }
  for (const [at, { id }] of [first, second, second].entries()) {
    write(`INSERT INTO media_attachments (id, account_id, status_id, position, type, content_type, file, file_size, width,
        height, small, small_width, small_height, description, blurhash, created_at, duration, frame_rate, bitrate, colors)
      VALUES (${ctx.ids.next()}, ${author.id}, ${id}, ${at}, '${["image", "video", "audio"][at]}', 'x/y', 'f${at}', 1, ${at + 30},
        40, 's${at}', 8, 9, 'Picture ${at}', 'B', 1, ${["NULL", "1.5", "2.5"][at]}, '30/1', 100, '{"a":"#000"}')`);
    write(`UPDATE statuses SET has_media = 1 WHERE id = ${id}`);
  }
  write(`UPDATE statuses SET quote_manual = '["followers"]' WHERE id = ${second.id}`);
  await author.publish({ status: "a quote", quoted_status_id: first.id });
  await author.publish({ status: "another quote", quoted_status_id: second.id, quote_approval_policy: "nobody" });
  await viewer.publish({ status: "a reply", in_reply_to_id: first.id, visibility: "unlisted", language: "de" });
  await viewer.post(`/api/v1/statuses/${second.id}/reblog`);
  const remote = remoteAccount(server, "remote", "far.example");
  remoteStatus(server, remote, "from afar :far:");
  for (const [title, keyword, status] of [
    ["One", "first", second],
    ["Two", "pol", first],
  ] as const) {
    const { json: filter } = await viewer.post("/api/v2/filters", {
      title,
      context: [title === "One" ? "home" : "thread"],
      expires_in: 3600,
      keywords_attributes: [{ keyword, whole_word: false }],
    });
    await viewer.post(`/api/v2/filters/${filter.id}/statuses`, { status_id: status.id });
  }
}
