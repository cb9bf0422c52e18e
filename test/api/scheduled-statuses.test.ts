import { describe, expect, test } from "bun:test";
import type { Params } from "../../src/db/open.ts";
import type { Answer, Client, Json } from "../support/client.ts";
import { idsOf, linksOf, pagesOf, wordsOf } from "../support/reading.ts";
import { inProcess } from "../support/server.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";
import { uploaded } from "../support/uploads.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TOO_SOON = "Validation failed: Scheduled at The scheduled date must be in the future";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);

const inTime = (ahead: number): string => new Date(server.clock.now() + ahead).toISOString();
const post = (body: object = {}, headers?: Record<string, string>): Promise<Answer> =>
  alice.post("/api/v1/statuses", { status: "later", scheduled_at: inTime(HOUR), ...body }, { headers });
const list = async (): Promise<Json[]> => (await alice.get("/api/v1/scheduled_statuses")).json;
const published = async (): Promise<Json[]> => (await alice.get(`/api/v1/accounts/${alice.id}/statuses`)).json;
const run = (sql: string, params?: Params) => server.ctx.db.transaction((tx) => tx.run(sql, params));
/** The number of pending publishing jobs. */
const pendingJobs = (): number =>
  server.ctx.db.get<{ count: number }>("SELECT count(*) AS count FROM jobs WHERE kind = 'status.publish'")!.count;
const pass = async (time: number): Promise<void> => {
  server.clock.advance(time);
  await server.drain();
};

describe("A scheduled status", () => {
  test("contains all its parameters, as documented", async () => {
    const { id: inReplyTo } = await bob.publish("a question");
    const { status, json } = await post({
      status: " @bob later ",
      spoiler_text: "answers",
      language: "en",
      in_reply_to_id: inReplyTo,
      quoted_status_id: inReplyTo,
      quote_approval_policy: "nobody",
      poll: { options: ["yes", "no"], expires_in: 300, multiple: true },
    });
    expect(status).toBe(200);
    expectShape(json, "ScheduledStatus");
    expect(json).toEqual({
      id: expect.stringMatching(/^\d+$/),
      scheduled_at: "2026-11-21T13:00:00.000Z",
      params: {
        text: "@bob later",
        content_type: "text/plain",
        spoiler_text: "answers",
        sensitive: true,
        visibility: "public",
        local_only: false,
        language: "en",
        in_reply_to_id: Number(inReplyTo),
        media_ids: null,
        poll: { options: ["yes", "no"], expires_in: 300, multiple: true, hide_totals: false },
        quoted_status_id: inReplyTo,
        quote_approval_policy: "nobody",
        application_id: expect.any(Number),
        scheduled_at: null,
        idempotency: null,
        with_rate_limit: false,
      },
      media_attachments: [],
    });
    expect(await published()).toEqual([]);
    expect((await alice.get(`/api/v1/scheduled_statuses/${json.id}`)).json).toEqual(json);
  });

  test("has no null settings, because some apps can't read null", async () => {
    const { params } = (await post()).json;
    expect(params).toMatchObject({ sensitive: false, visibility: "public", language: "en", spoiler_text: "" });
    await alice.patch("/api/v1/accounts/update_credentials", { source: { sensitive: true, privacy: "private" } });
    expect((await post()).json.params).toMatchObject({ sensitive: true, visibility: "private" });
    await pass(HOUR);
    expect((await published()).map((status) => status.sensitive)).toEqual([true, false]);
  });

  test("is published at its time, not before", async () => {
    const { id } = (await post({ visibility: "unlisted", spoiler_text: "careful" })).json;
    await pass(HOUR - 1);
    expect([await published(), idsOf(await list())]).toEqual([[], [id]]);
    await pass(1);
    expect(await list()).toEqual([]);
    expect(await published()).toMatchObject([
      {
        content: "<p>later</p>",
        visibility: "unlisted",
        spoiler_text: "careful",
        created_at: "2026-11-21T13:00:00.000Z",
        application: { name: "Test" },
      },
    ]);
    expect((await alice.get(`/api/v1/scheduled_statuses/${id}`)).status).toBe(404);
  });

  test("is published with its poll, quote and reply", async () => {
    const question = await bob.publish("a question");
    const poll = { options: ["yes", "no"], expires_in: 300 };
    await post({ status: "@bob later", in_reply_to_id: question.id, quoted_status_id: question.id, poll });
    await pass(HOUR);
    const [status] = await published();
    expect(status).toMatchObject({
      in_reply_to_id: question.id,
      quote: { quoted_status: { id: question.id } },
      poll: { expires_at: "2026-11-21T13:05:00.000Z" },
    });
    const types = (await bob.get("/api/v1/notifications")).json.map((notification: Json) => notification.type);
    expect(types.sort()).toEqual(["mention", "quote"]);
  });

  test("is published once, however often its job runs", async () => {
    const { id } = (await post()).json;
    const again = () =>
      server.ctx.db.transaction((tx) =>
        tx.run("INSERT INTO jobs (kind, payload, run_at, created_at) VALUES ('status.publish', $payload, 0, 0)", {
          payload: JSON.stringify({ scheduledId: Number(id) }),
        }),
      );
    again();
    await server.drain();
    expect(await published()).toEqual([]);
    again();
    again();
    await pass(HOUR);
    expect(await published()).toHaveLength(1);
  });

  test("keeps its attachments in order until then", async () => {
    const [one, two] = [await uploaded(alice, {}, 1), await uploaded(alice, {}, 2)];
    const { json } = await post({ media_ids: [two.id, one.id] });
    expectShape(json.media_attachments, ["MediaAttachment"]);
    expect([json.params.media_ids, idsOf(json.media_attachments)]).toEqual([
      [two.id, one.id],
      [two.id, one.id],
    ]);
    expect((await alice.delete(`/api/v1/media/${one.id}`)).status).toBe(422);
    expect((await alice.post("/api/v1/statuses", { media_ids: [one.id] })).status).toBe(422);
    await alice.put(`/api/v1/scheduled_statuses/${json.id}`, { scheduled_at: inTime(3 * DAY) });
    await pass(2 * DAY);
    await pass(DAY);
    expect((await published()).map((status) => idsOf(status.media_attachments))).toEqual([[two.id, one.id]]);
  });

  test("is published without a reply or quote whose target was deleted", async () => {
    const question = await bob.publish("a question");
    await post({ in_reply_to_id: question.id, quoted_status_id: question.id });
    await bob.delete(`/api/v1/statuses/${question.id}`);
    await pass(HOUR);
    expect(await published()).toMatchObject([{ content: "<p>later</p>", in_reply_to_id: null, quote: null }]);
  });

  test("is published with its remaining attachments if some were deleted", async () => {
    const [one, two] = [await uploaded(alice, {}, 1), await uploaded(alice, {}, 2)];
    await post({ media_ids: [one.id, two.id] });
    run("DELETE FROM media_attachments WHERE id = $id", { id: one.id });
    await pass(HOUR);
    expect((await published()).map((status) => idsOf(status.media_attachments))).toEqual([[two.id]]);
  });

  test("with no content left stays in the author's list, where it can be read, moved and cancelled", async () => {
    const { id } = (await post({ status: "", media_ids: [(await uploaded(alice)).id] })).json;
    run("DELETE FROM media_attachments");
    for (const time of [HOUR, HOUR]) {
      await pass(time);
      expect([await published(), idsOf(await list()), pendingJobs()]).toEqual([[], [id], 0]);
      const moved = await alice.put(`/api/v1/scheduled_statuses/${id}`, { scheduled_at: inTime(HOUR) });
      expect([moved.status, pendingJobs()]).toEqual([200, 1]);
    }
    expect((await alice.delete(`/api/v1/scheduled_statuses/${id}`)).status).toBe(200);
  });

  test("waits for an attachment that is being processed", async () => {
    await post({ media_ids: [(await uploaded(alice)).id] });
    run("UPDATE media_attachments SET state = 'processing'");
    await pass(HOUR);
    expect([await published(), pendingJobs()]).toEqual([[], 1]);
    run("UPDATE media_attachments SET state = 'ready'");
    await pass(MINUTE);
    expect(await published()).toHaveLength(1);
  });

  inProcess("is published even if the maximum length was reduced since", async () => {
    await post({ status: "a long story" });
    server.ctx.config = { ...server.ctx.config, maxCharacters: 5 };
    await pass(HOUR);
    expect(wordsOf(await published())).toEqual(["a long story"]);
  });

  test("keeps the visibility from when it was written", async () => {
    await post();
    await alice.patch("/api/v1/accounts/update_credentials", { source: { privacy: "private" } });
    await pass(HOUR);
    expect((await published())[0].visibility).toBe("public");
  });

  test("can be sent as a form, with a time zone or in UTC", async () => {
    const times = [
      ["2026-11-22T14:00:00+02:00", "2026-11-22T12:00:00.000Z"],
      ["2026-11-22T14:00", "2026-11-22T14:00:00.000Z"],
      ["2026-11-22", "2026-11-22T00:00:00.000Z"],
    ] as const;
    for (const [given, meant] of times) {
      const form = new URLSearchParams({ status: "later", scheduled_at: given });
      expect((await alice.post("/api/v1/statuses", form)).json.scheduled_at).toBe(meant);
    }
  });

  test("is returned again for a repeated Idempotency-Key within the hour, even after publishing", async () => {
    const headers = { "idempotency-key": "tea" };
    const { id } = (await post({ scheduled_at: inTime(10 * MINUTE) }, headers)).json;
    expect((await post({ scheduled_at: inTime(10 * MINUTE) }, headers)).json.id).toBe(id);
    expect(await list()).toHaveLength(1);
    await pass(10 * MINUTE);
    const [status] = await published();
    expect((await post({}, headers)).json.id).toBe(status.id);
    expect(await list()).toEqual([]);
    await pass(HOUR);
    expect((await post({}, headers)).json.params.text).toBe("later");
  });
});

describe("The time of a scheduled status", () => {
  test("must be more than five minutes ahead", async () => {
    for (const ahead of [-DAY, 0, 5 * MINUTE]) {
      const { status, json } = await post({ scheduled_at: inTime(ahead) });
      expect([status, json.error]).toEqual([422, TOO_SOON]);
    }
    expect((await post({ scheduled_at: inTime(5 * MINUTE + 1) })).status).toBe(200);
    expect(await published()).toEqual([]);
  });

  test.each(["soon", "2026-13-01T00:00:00Z", "2026-11-22T25:00:00Z", "1795348800", "2026-11-22T12:00:00+9"])(
    "can't be %s",
    async (scheduled_at) => {
      const { status, json } = await post({ scheduled_at });
      expect([status, json.error]).toEqual([422, "Validation failed: Scheduled at is invalid"]);
    },
  );

  test("can be moved in both directions, and the status is published once", async () => {
    const { id } = (await post()).json;
    const { status, json } = await alice.put(`/api/v1/scheduled_statuses/${id}`, { scheduled_at: inTime(2 * HOUR) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ id, scheduled_at: "2026-11-21T14:00:00.000Z", params: { text: "later" } });
    await pass(HOUR);
    expect(await published()).toEqual([]);
    await alice.put(`/api/v1/scheduled_statuses/${id}`, { scheduled_at: inTime(10 * MINUTE) });
    await pass(10 * MINUTE);
    expect(await published()).toHaveLength(1);
    await pass(DAY);
    expect(await published()).toHaveLength(1);
  });

  test("can't be moved to an invalid time", async () => {
    const { id } = (await post()).json;
    const move = (scheduled_at?: string) => alice.put(`/api/v1/scheduled_statuses/${id}`, { scheduled_at });
    const early = await move(inTime(MINUTE));
    expect([early.status, early.json.error]).toEqual([422, TOO_SOON]);
    expect((await move("soon")).status).toBe(422);
    expect((await move()).status).toBe(422);
    expect((await list())[0].scheduled_at).toBe("2026-11-21T13:00:00.000Z");
  });

  test("is refused beyond 25 posts per day and 300 in total", async () => {
    for (let at = 0; at < 25; at++) await post({ scheduled_at: inTime(DAY) });
    const { status, json } = await post({ scheduled_at: inTime(DAY + HOUR) });
    expect(status).toBe(422);
    expect(json.error).toBe("Validation failed: You have exceeded the limit of 25 scheduled posts for today");
    const { id } = (await post({ scheduled_at: inTime(2 * DAY) })).json;
    expect((await alice.put(`/api/v1/scheduled_statuses/${id}`, { scheduled_at: inTime(DAY) })).status).toBe(422);
    const [first] = (await list()).toReversed();
    const moved = await alice.put(`/api/v1/scheduled_statuses/${first.id}`, { scheduled_at: inTime(DAY + HOUR) });
    expect(moved.status).toBe(200);
    server.ctx.db.transaction((tx) => {
      for (let at = 26; at < 300; at++) {
        tx.run(
          "INSERT INTO scheduled_statuses (account_id, draft, scheduled_at, created_at) VALUES ($aliceId, '{}', $scheduledAt, 0)",
          { aliceId: Number(alice.id), scheduledAt: server.clock.now() + at * DAY },
        );
      }
    });
    const full = await post({ scheduled_at: inTime(400 * DAY) });
    expect(full.json.error).toBe("Validation failed: You have exceeded the limit of 300 scheduled posts");
  });
});

describe("Refused at once", () => {
  test.each<[string, object, number]>([
    ["no text", { status: "" }, 422],
    ["an unknown attachment", { media_ids: ["5"] }, 422],
    ["a poll with one option", { poll: { options: ["a"], expires_in: 300 } }, 422],
    ["a reply to nothing", { in_reply_to_id: "5" }, 404],
    ["a quote of nothing", { quoted_status_id: "5" }, 404],
  ])("is %s", async (_, body, code) => {
    expect((await post(body)).status).toBe(code);
    expect(await list()).toEqual([]);
  });
});

describe("Scheduled statuses", () => {
  test("are listed on consistent pages, latest first", async () => {
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await post({ scheduled_at: inTime(DAY) })).json.id);
    const first = await alice.get("/api/v1/scheduled_statuses?limit=2");
    expectShape(first.json, ["ScheduledStatus"]);
    expect(linksOf(first).rels).toEqual(["next", "prev"]);
    const pages = await pagesOf(alice, "/api/v1/scheduled_statuses?limit=2");
    expect(pages.flatMap((page) => idsOf(page))).toEqual(ids);
  });

  test("can be cancelled, which releases their attachments", async () => {
    const picture = await uploaded(alice);
    const { id } = (await post({ media_ids: [picture.id] })).json;
    const { status, json } = await alice.delete(`/api/v1/scheduled_statuses/${id}`);
    expect([status, json]).toEqual([200, {}]);
    expect((await alice.delete(`/api/v1/scheduled_statuses/${id}`)).status).toBe(404);
    await pass(HOUR);
    expect([await list(), await published()]).toEqual([[], []]);
    expect(wordsOf([await alice.publish({ status: "now", media_ids: [picture.id] })])).toEqual(["now"]);
  });

  test("belong to one user, and require a token with the scope", async () => {
    const { id } = (await post()).json;
    const path = `/api/v1/scheduled_statuses/${id}`;
    const answers = async (who: Client) => [
      (await who.get(path)).status,
      (await who.put(path, { scheduled_at: inTime(DAY) })).status,
      (await who.delete(path)).status,
    ];
    expect(await answers(bob)).toEqual([404, 404, 404]);
    expect(await answers(server.stranger())).toEqual([401, 401, 401]);
    expect(await answers(await server.person("reader", { scopes: "read" }))).toEqual([404, 403, 403]);
    expect(await answers(await server.person("writer", { scopes: "write" }))).toEqual([403, 404, 404]);
    expect((await server.stranger().get("/api/v1/scheduled_statuses")).status).toBe(401);
    expect((await alice.get("/api/v1/scheduled_statuses/x")).status).toBe(404);
    expect(await list()).toHaveLength(1);
  });
});
