import { beforeEach, describe, expect, spyOn, test } from "bun:test";
import { updateProfile } from "../../src/core/people/profile.ts";
import { scheduledDraft } from "../../src/core/statuses/scheduled.ts";
import { tone } from "../fixtures/clips.ts";
import type { Client, Json } from "../support/client.ts";
import { inProcess, startServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { pictureFile, uploaded } from "../support/uploads.ts";
import { type Seen, Visitor } from "./visitor.ts";

const COMPOSE = "/compose";
const { server, alice, bob } = serverForAllTests(["alice", "bob"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});

/** The post that a redirect leads to. */
async function posted({ status, location, text }: Seen, who: Client = alice): Promise<Json> {
  expect([status, text]).toEqual([303, ""]);
  return (await who.get(`/api/v1/statuses/${/\/(\d+)$/.exec(location!)![1]}`)).json;
}

const countOf = async () => (await alice.get("/api/v1/accounts/verify_credentials")).json.statuses_count as number;
const fieldsOf = ({ forms }: Seen) => forms.find(({ action }) => action === COMPOSE)!.fields;

test("the form publishes a text with its warning, visibility, language, format and rules", async () => {
  await visitor.get(COMPOSE);
  const status = await posted(
    await visitor.press("Publish", {
      text: "*Birds* & hedges #wren",
      spoiler_text: "nature",
      visibility: "unlisted",
      language: "de",
      content_type: "text/markdown",
      can_reply: "followers",
      can_quote: "nobody",
    }),
  );
  expect(status).toMatchObject({ spoiler_text: "nature", visibility: "unlisted", language: "de", sensitive: true });
  expect(status.content).toContain("<em>Birds</em> &amp; hedges");
  expect(status.interaction_policy.can_reply.always).toContain("followers");
  expect(status.quote_approval.automatic).toEqual([]);
});

test("the same form sent twice publishes once, also at the same time", async () => {
  const fields = { ...fieldsOf(await visitor.get(COMPOSE)), text: "only once", do: "publish" };
  const sent = await Promise.all([1, 2].map(() => visitor.upload(COMPOSE, fields)));
  const again = await visitor.upload(COMPOSE, fields);
  expect(new Set([...sent, again].map(({ location }) => location)).size).toBe(1);
  expect((await posted(again)).content).toBe("<p>only once</p>");
  const { location } = await visitor.upload(COMPOSE, { ...fields, key: "another form" });
  expect(location).not.toBe(again.location);
});

describe("Files", () => {
  test("are uploaded in a step of their own, and then described, focused and removed", async () => {
    await visitor.get(COMPOSE);
    const first = await visitor.press("Upload", { text: "look", "files[]": await pictureFile() });
    const [wren] = fieldsOf(first).media!.split(",");
    expect([first.status, fieldsOf(first).text]).toEqual([200, "look"]);
    const [, robin] = fieldsOf(
      await visitor.press("Upload", {
        "files[]": await pictureFile("png", { shade: 90 }),
        [`description_${wren}`]: "a wren",
        [`focus_${wren}`]: "-0.67,0.67",
      }),
    ).media!.split(",");
    const left = await visitor.press("Remove", { remove: robin });
    expect(fieldsOf(left)).toMatchObject({ media: wren, [`description_${wren}`]: "a wren" });
    expect((await alice.get(`/api/v1/media/${robin}`)).status).toBe(404);
    const { media_attachments: media, sensitive } = await posted(await visitor.press("Publish", { sensitive: "1" }));
    expect([sensitive, media.length]).toEqual([true, 1]);
    expect(media[0]).toMatchObject({ id: wren, description: "a wren", meta: { focus: { x: -0.67, y: 0.67 } } });
  });

  test("are published with the text if they were not uploaded before", async () => {
    await visitor.get(COMPOSE);
    const status = await posted(await visitor.press("Publish", { text: "", "files[]": await pictureFile() }));
    expect(status.media_attachments).toHaveLength(1);
  });

  test("that must be processed are published once they are", async () => {
    await visitor.get(COMPOSE);
    const sound = new File([tone()], "song.wav", { type: "audio/wav" });
    const uploading = await visitor.press("Upload", { "files[]": sound });
    expect(uploading.text).toContain("still being processed");
    const { media_attachments: media } = await posted(await visitor.press("Publish", { text: "listen" }));
    expect(media).toMatchObject([{ type: "audio", url: expect.stringContaining("/media/") }]);
  });

  test("of a refused type change nothing, and the reason is beside their field", async () => {
    await visitor.get(COMPOSE);
    const before = await countOf();
    const broken = new File(["not a picture"], "picture.png", { type: "image/png" });
    const refused = await visitor.press("Publish", { text: "still here", "files[]": broken });
    expect([refused.status, fieldsOf(refused).text]).toEqual([422, "still here"]);
    expect(refused.html).toMatch(/id="files-about" role="alert">[^<]*damaged, or of a kind[^<]*JPEG[^<]*MP4[^<]*MP3/);
    expect(await countOf()).toBe(before);
  });

  test("of another account are refused", async () => {
    const foreign = (await uploaded(bob)).id;
    await visitor.get(COMPOSE);
    const stolen = await visitor.press("Publish", { text: "mine", media: foreign });
    expect([stolen.status, fieldsOf(stolen).media]).toEqual([422, ""]);
  });

  test("beyond the fourth are left out, and the form says so before it publishes the others", async () => {
    const own = await Promise.all([0, 1, 2].map(async (at) => (await uploaded(alice, {}, at)).id));
    const typed = { ...fieldsOf(await visitor.get(COMPOSE)), text: "birds", media: own.join(","), do: "publish" };
    const files = [await pictureFile(), await pictureFile("png", { shade: 90 })];
    const tooMany = await visitor.upload(COMPOSE, typed, files);
    const kept = fieldsOf(tooMany).media!.split(",");
    expect([tooMany.status, kept.length, kept.slice(0, 3), fieldsOf(tooMany).text]).toEqual([422, 4, own, "birds"]);
    expect(tooMany.html).toMatch(/id="files-about" role="alert">[^<]*at most 4 files. The first 4 are attached/);
    expect((await posted(await visitor.press("Publish"))).media_attachments).toHaveLength(4);
  });

  test("with a description that is too long keep it, with the reason beside it", async () => {
    const { id } = await uploaded(alice);
    await visitor.get(COMPOSE);
    const description = "y".repeat(1501);
    const refused = await visitor.press("Publish", { media: id, [`description_${id}`]: description });
    expect([refused.status, fieldsOf(refused)[`description_${id}`]]).toEqual([422, description]);
    expect(refused.html).toMatch(new RegExp(`id="description_${id}-about" role="alert">This is too long`));
    expect(refused.html).not.toContain(" maxlength=");
  });
});

test("a refused post keeps all that was typed and uploaded, and can then be published", async () => {
  await visitor.get(COMPOSE);
  const typed = {
    text: "x".repeat(5001),
    visibility: "private",
    language: "fr",
    choice_0: "one",
    can_reblog: "author",
  };
  const refused = await visitor.press("Publish", { ...typed, "files[]": await pictureFile() });
  const kept = fieldsOf(refused);
  expect([refused.status, kept]).toEqual([422, expect.objectContaining(typed)]);
  expect(refused.html).toMatch(/id="text-about" role="alert">The text is one character too long:/);
  const status = await posted(await visitor.press("Publish", { text: "shorter", choice_0: "" }));
  expect(status).toMatchObject({ visibility: "private", language: "fr", media_attachments: [{ id: kept.media }] });
});

test("a form from an earlier session keeps the draft, and publishes nothing until it is sent again", async () => {
  await visitor.get(COMPOSE);
  const before = await countOf();
  const expired = await visitor.press("Publish", { csrf: "old", text: "typed for an hour" });
  expect([expired.status, fieldsOf(expired).text, await countOf()]).toEqual([403, "typed for an hour", before]);
  expect((await posted(await visitor.press("Publish"))).content).toContain("typed for an hour");
});

test("other pages can share a text and an address with the form", async () => {
  const shared = await visitor.get(
    `${COMPOSE}?${new URLSearchParams({ text: "Read this", url: "https://a.example/" })}`,
  );
  expect(fieldsOf(shared).text).toBe("Read this\nhttps://a.example/");
});

describe("A reply", () => {
  test("mentions the author and all mentioned accounts, with the warning and at most the visibility of the parent", async () => {
    await server.person("carol");
    const parent = await bob.publish({ status: "@alice @carol hush", spoiler_text: "secret", visibility: "private" });
    await alice.follow(bob);
    const form = await visitor.get(`${COMPOSE}?in_reply_to=${parent.id}`);
    expect(fieldsOf(form)).toMatchObject({ text: "@bob @carol ", spoiler_text: "secret", visibility: "private" });
    expect([form.text, form.forms.map(({ action }) => action)]).toEqual([
      expect.stringContaining("Reply to bob"),
      [COMPOSE],
    ]);
    const { text } = fieldsOf(form);
    const status = await posted(await visitor.press("Publish", { text: `${text}yes` }));
    expect(status).toMatchObject({ in_reply_to_id: parent.id, visibility: "private" });
  });

  test("to a post that the user can't see is not possible", async () => {
    const secret = await bob.publish({ status: "to nobody", visibility: "direct" });
    for (const query of [`in_reply_to=${secret.id}`, `quote=${secret.id}`, `edit=${secret.id}`, "in_reply_to=1"]) {
      expect([query, (await visitor.get(`${COMPOSE}?${query}`)).status]).toEqual([query, 404]);
    }
    await visitor.get(COMPOSE);
    const { status } = await visitor.press("Publish", { text: "sneaky", in_reply_to: secret.id });
    expect(status).toBe(422);
  });
});

test("a quote shows the quoted post, and says whether its author allows it", async () => {
  const open = await bob.publish({ status: "quote me", quote_approval_policy: "public" });
  expect((await visitor.get(`${COMPOSE}?quote=${open.id}`)).text).toContain("quote me");
  const status = await posted(await visitor.press("Publish", { text: "so true" }));
  expect(status.quote).toMatchObject({ state: "accepted", quoted_status: { id: open.id } });
  const closed = await bob.publish({ status: "leave me", quote_approval_policy: "nobody" });
  expect((await visitor.get(`${COMPOSE}?quote=${closed.id}`)).text).toContain("doesn’t allow you to quote");
  expect((await visitor.press("Publish", { text: "anyway" })).status).toBe(422);
});

test("a post only for this server is marked, and a reply to it starts like it", async () => {
  await visitor.get(COMPOSE);
  const status = await posted(await visitor.press("Publish", { text: "between us", local_only: "1" }));
  expect(status.local_only).toBe(true);
  const { text } = await visitor.get(`/@alice/${status.id}`);
  expect(text).toContain("Only on this server");
  expect(fieldsOf(await visitor.get(`${COMPOSE}?in_reply_to=${status.id}`)).local_only).toBe("1");
});

describe("A poll", () => {
  const poll = { choice_0: "Wren", choice_1: "Robin", duration: "3600", multiple: "1" };

  test("has its choices, its end and its kind", async () => {
    await visitor.get(COMPOSE);
    const status = await posted(await visitor.press("Publish", { text: "which?", ...poll }));
    expect(status.poll).toMatchObject({ multiple: true, options: [{ title: "Wren" }, { title: "Robin" }] });
    expect(Date.parse(status.poll.expires_at) - Date.parse(status.created_at)).toBe(3600_000);
  });

  test("keeps its votes in an edit, unless its choices change", async () => {
    await visitor.get(COMPOSE);
    const { id, poll: first } = await posted(await visitor.press("Publish", { text: "which?", ...poll }));
    await bob.post(`/api/v1/polls/${first.id}/votes`, { choices: [0] });
    expect((await visitor.get(`/@alice/${id}/edit`)).location).toBe(`${COMPOSE}?edit=${id}`);
    await visitor.follow();
    const kept = await posted(await visitor.press("Save changes", { text: "which one?" }));
    expect([kept.content, kept.poll.votes_count]).toEqual(["<p>which one?</p>", 1]);
    await visitor.get(`${COMPOSE}?edit=${id}`);
    const changed = await posted(await visitor.press("Save changes", { choice_1: "Linnet" }));
    expect([changed.poll.votes_count, changed.poll.expires_at]).toEqual([0, first.expires_at]);
    await visitor.get(`${COMPOSE}?edit=${id}`);
    const without = await posted(await visitor.press("Save changes", { choice_0: "", choice_1: "" }));
    expect(without.poll).toBeNull();
  });

  test("with hidden results hides them after an edit, too", async () => {
    const { id } = await alice.publish({
      status: "which?",
      poll: { options: ["Wren", "Robin"], expires_in: 3600, hide_totals: true },
    });
    await visitor.get(`${COMPOSE}?edit=${id}`);
    const { poll: changed } = await posted(await visitor.press("Save changes", { choice_1: "Linnet" }));
    expect(changed.options).toMatchObject([{ votes_count: null }, { title: "Linnet", votes_count: null }]);
  });

  test("that has ended stays in an edit of the text", async () => {
    await visitor.get(COMPOSE);
    const { id } = await posted(await visitor.press("Publish", { text: "wich?", ...poll }));
    server.clock.advance(2 * 3600_000);
    await visitor.get(`${COMPOSE}?edit=${id}`);
    const edited = await posted(await visitor.press("Save changes", { text: "which?" }));
    expect([edited.content, edited.poll.expired]).toEqual(["<p>which?</p>", true]);
  });

  test("with one choice, or with files, is refused beside its field", async () => {
    await visitor.get(COMPOSE);
    const single = await visitor.press("Publish", { text: "which?", choice_0: "Wren" });
    expect(single.html).toMatch(/id="choice_0-about" role="alert">A poll needs at least two choices\./);
    const both = await visitor.press("Publish", { ...poll, media: (await uploaded(alice)).id });
    expect([both.status, both.text]).toEqual([422, expect.stringContaining("A post has either files or a poll")]);
  });
});

test("an edit changes text, warning and media, keeps what was not touched, and its earlier text", async () => {
  const [kept, dropped] = [
    await uploaded(alice, { description: "a", focus: "0.3,0.2" }),
    await uploaded(alice, {}, 60),
  ];
  const { id } = await alice.publish({
    status: "*before*",
    content_type: "text/markdown",
    media_ids: [kept.id, dropped.id],
    language: "fr",
    visibility: "unlisted",
  });
  const form = await visitor.get(`${COMPOSE}?edit=${id}`);
  expect(fieldsOf(form)).toMatchObject({ text: "*before*", content_type: "text/markdown", language: "fr" });
  await visitor.press("Remove", { remove: dropped.id });
  const after = await posted(await visitor.press("Save changes", { text: "after", [`description_${kept.id}`]: "b" }));
  expect(after).toMatchObject({ content: "<p>after</p>", language: "fr", visibility: "unlisted" });
  expect(after.media_attachments).toMatchObject([
    { id: kept.id, description: "b", meta: { focus: { x: 0.3, y: 0.2 } } },
  ]);
  expect(after.edited_at).not.toBeNull();
});

test("an edit that changes nothing leaves a post of an app as it is, whatever the browser does to line breaks", async () => {
  const { id: mediaId } = await uploaded(alice);
  await alice.put(`/api/v1/media/${mediaId}`, { description: "a\nb" });
  const { id } = await alice.publish({ status: "one\ntwo", media_ids: [mediaId], language: "pt-BR" });
  expect(fieldsOf(await visitor.get(`${COMPOSE}?edit=${id}`)).language).toBe("pt-BR");
  const sent = { text: "one\r\ntwo", [`description_${mediaId}`]: "a\r\nb" };
  expect(await posted(await visitor.press("Save changes", sent))).toMatchObject({ language: "pt-BR", edited_at: null });
});

test("a refused edit of a reply says why, also if its author can't see the parent any more", async () => {
  const blocker = await server.person("frieda");
  const parent = await blocker.publish("hello");
  const { id } = await alice.publish({ status: "@frieda hi", in_reply_to_id: parent.id });
  await blocker.post(`/api/v1/accounts/${alice.id}/block`);
  await visitor.get(`${COMPOSE}?edit=${id}`);
  const refused = await visitor.press("Save changes", { text: "x".repeat(5001) });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("one character too long")]);
  expect(refused.text).not.toContain("The post that you reply to");
  expect(await posted(await visitor.press("Save changes", { text: "bye" }))).toMatchObject({ content: "<p>bye</p>" });
});

describe("A draft whose original was deleted meanwhile", () => {
  test("of an edit becomes a new post with the same visibility", async () => {
    const { id } = await alice.publish({ status: "before", visibility: "private" });
    await visitor.get(`${COMPOSE}?edit=${id}`);
    await alice.delete(`/api/v1/statuses/${id}`);
    const refused = await visitor.press("Save changes", { text: "rewritten" });
    expect([refused.status, fieldsOf(refused)]).toEqual([422, expect.objectContaining({ text: "rewritten" })]);
    expect(refused.text).toContain("This post was deleted while you edited it.");
    const status = await posted(await visitor.press("Publish"));
    expect(status).toMatchObject({ content: "<p>rewritten</p>", visibility: "private" });
    expect(status.id).not.toBe(id);
  });

  test("of a reply becomes a post of its own", async () => {
    const parent = await bob.publish("short-lived");
    await visitor.get(`${COMPOSE}?in_reply_to=${parent.id}`);
    await bob.delete(`/api/v1/statuses/${parent.id}`);
    const refused = await visitor.press("Publish", { text: "so true" });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining("The post that you reply to")]);
    expect(await posted(await visitor.press("Publish"))).toMatchObject({ in_reply_to_id: null });
  });

  inProcess("doesn't hide an error of the server", async () => {
    const parent = await bob.publish("short-lived");
    await visitor.get(`${COMPOSE}?in_reply_to=${parent.id}`);
    await bob.delete(`/api/v1/statuses/${parent.id}`);
    spyOn(server.ctx.log as { error(message: string): void }, "error").mockImplementationOnce(() => {});
    const { raw } = server.ctx.db;
    raw.run("CREATE TRIGGER fail BEFORE INSERT ON media_attachments BEGIN SELECT RAISE(ABORT, 'as wished'); END");
    const { status } = await visitor.press("Publish", { text: "so true", "files[]": await pictureFile() });
    raw.run("DROP TRIGGER fail");
    expect(status).toBe(500);
  });
});

describe("A later publication", () => {
  test("is at the time of the author's own clock, and can be cancelled", async () => {
    expect((await visitor.get(COMPOSE)).text).toMatch(/Date and time \(UTC\).*Leave it empty to publish at once/);
    updateProfile(server.ctx, Number(alice.id), { timeZone: "Asia/Kolkata" });
    expect((await visitor.get(COMPOSE)).text).toContain("Date and time (Asia/Kolkata)");
    const { location } = await visitor.press("Publish", { text: "good morning", scheduled_at: "2026-12-24T09:30" });
    const [scheduled] = (await alice.get("/api/v1/scheduled_statuses")).json;
    expect([location, scheduled.scheduled_at]).toEqual(["/scheduled?added", "2026-12-24T04:00:00.000Z"]);
    expect((await visitor.follow()).text).toMatch(/The post is scheduled.*24 Dec 2026, 09:30 good morning/);
    await visitor.press("Cancel");
    expect((await alice.get("/api/v1/scheduled_statuses")).json).toEqual([]);
    expect((await visitor.follow()).text).toContain("will not be published");
  });

  test("too soon, or at no time at all, is refused beside its field", async () => {
    await visitor.get(COMPOSE);
    const soon = new Date(server.clock.now() + 120_000).toISOString().slice(0, 16);
    for (const [scheduled_at, reason] of [
      [soon, "Choose a time that is at least 5 minutes from now."],
      ["tomorrow", "Choose a date and a time."],
      ["2026-99-99T00:00", "Choose a date and a time."],
    ] as const) {
      const { status, html } = await visitor.press("Publish", { text: "late", scheduled_at });
      expect([scheduled_at, status]).toEqual([scheduled_at, 422]);
      expect(html).toContain(`id="scheduled_at-about" role="alert">${reason}`);
    }
  });

  describe("can be changed", () => {
    const scheduled = async (fields: Json = {}) =>
      (await alice.post("/api/v1/statuses", { status: "soon", scheduled_at: "2026-12-24T04:00:00.000Z", ...fields }))
        .json;
    const found = async (id: string) => (await alice.get(`/api/v1/scheduled_statuses/${id}`)).json;

    test("in its text, time and files, and keeps the rest", async () => {
      const [kept, dropped, added] = await Promise.all(
        [0, 30, 60].map(async (at) => (await uploaded(alice, {}, at)).id),
      );
      const { id } = await scheduled({
        media_ids: [kept, dropped],
        visibility: "unlisted",
        quote_approval_policy: "nobody",
        language: "fr",
      });
      const list = await visitor.get("/scheduled");
      expect(list.html).toContain(`href="${COMPOSE}?scheduled=${id}"`);
      updateProfile(server.ctx, Number(alice.id), { timeZone: "Asia/Kolkata" });
      const form = await visitor.get(`${COMPOSE}?scheduled=${id}`);
      expect(fieldsOf(form)).toMatchObject({ text: "soon", scheduled_at: "2026-12-24T09:30", language: "fr" });
      expect(form.text).not.toContain("Leave it empty");
      const changed = await visitor.press("Save changes", {
        text: "sooner",
        scheduled_at: "2026-12-23T11:00",
        media: `${kept},${added}`,
      });
      expect([changed.status, changed.location]).toEqual([303, "/scheduled?added"]);
      const after = await found(id);
      expect(after.scheduled_at).toBe("2026-12-23T05:30:00.000Z");
      expect(after.params).toMatchObject({ text: "sooner", visibility: "unlisted", language: "fr" });
      expect(after.media_attachments.map((each: Json) => each.id)).toEqual([kept, added]);
      expect((await alice.get(`/api/v1/media/${dropped}`)).status).toBe(200);
      server.clock.advance(Date.parse(after.scheduled_at) - server.clock.now());
      await server.drain();
      const [status] = (await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json;
      expect([status.content, status.media_attachments.length]).toEqual(["<p>sooner</p>", 2]);
      expect(status.quote_approval.automatic).toEqual([]);
    });

    test("in its text, which keeps the exact time and all that the form doesn't have", async () => {
      const { id } = await scheduled({
        scheduled_at: "2027-10-31T01:30:45.000Z",
        poll: { options: ["Wren", "Robin"], expires_in: 2 * 86_400 + 1, hide_totals: true },
        allowed_mentions: [bob.id],
        language: "pt-BR",
      });
      const before = await found(id);
      // Clocks there show 02:30 twice.
      updateProfile(server.ctx, Number(alice.id), { timeZone: "Europe/Berlin" });
      const form = await visitor.get(`${COMPOSE}?scheduled=${id}`);
      expect(fieldsOf(form)).toMatchObject({ scheduled_at: "2027-10-31T02:30", duration: "172801" });
      expect((await visitor.press("Save changes", { text: "sooner" })).status).toBe(303);
      expect(await found(id)).toEqual({ ...before, params: { ...before.params, text: "sooner" } });
      expect(scheduledDraft(server.ctx, Number(alice.id), Number(id)).draft).toMatchObject({
        poll: { expiresIn: 172_801, hideTotals: true },
        allowedMentions: [Number(bob.id)],
      });
    });

    test("only within the limits, and with a time", async () => {
      const { id } = await scheduled({ scheduled_at: "2027-12-24T04:00:00.000Z" });
      await visitor.get(`${COMPOSE}?scheduled=${id}`);
      for (const [fields, reason] of [
        [{ text: "x".repeat(5001) }, "one character too long"],
        [{ scheduled_at: "" }, "Choose a date and a time."],
        [{ text: "" }, "Write something"],
      ] as const) {
        const typed = { text: "x", scheduled_at: "2027-12-24T05:00", ...fields };
        const { status, text } = await visitor.press("Save changes", typed);
        expect([status, text]).toEqual([422, expect.stringContaining(reason)]);
      }
      expect((await found(id)).params.text).toBe("soon");
    });

    test("only by its author, and not after it was cancelled, which keeps the changes", async () => {
      const { id } = await scheduled({ scheduled_at: "2027-12-25T04:00:00.000Z" });
      const other = new Visitor(server);
      await other.signIn("bob");
      expect((await other.get(`${COMPOSE}?scheduled=${id}`)).status).toBe(404);
      await visitor.get(`${COMPOSE}?scheduled=${id}`);
      await alice.delete(`/api/v1/scheduled_statuses/${id}`);
      const refused = await visitor.press("Save changes", { text: "later" });
      expect([refused.status, fieldsOf(refused).text]).toEqual([422, "later"]);
      expect(refused.text).toContain("This post is no longer scheduled");
      expect(fieldsOf(refused).scheduled).toBeUndefined();
    });
  });
});

test("uploads and deletions count for the limits that apps have", async () => {
  const limited = await startServer({ LINNET_RATE_LIMITS: "media=1/1800,deletes=1/1800" });
  const dora = await limited.person("dora");
  const user = new Visitor(limited);
  await user.signIn("dora");
  await user.get(COMPOSE);
  expect((await user.press("Upload", { "files[]": await pictureFile() })).status).toBe(200);
  const refused = await user.press("Upload", { text: "kept", "files[]": await pictureFile() });
  expect([refused.status, fieldsOf(refused).text]).toEqual([429, "kept"]);
  for (const status of [303, 400]) {
    await user.get(`/posts/${(await dora.publish("short-lived")).id}/delete`);
    expect((await user.press("Delete")).status).toBe(status);
  }
  await limited.stop();
});
