import { beforeEach, describe, expect, test } from "bun:test";
import type { Answer } from "../support/client.ts";
import { expectGuarded } from "../support/guards.ts";
import { idsOf, linksOf, NOT_FOUND, pagesOf, refusal, turn } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { expectShape } from "../support/shape.ts";

const { server, alice, bob, carol } = serverForEachTest(["alice", "bob", "carol"]);

beforeEach(async () => {
  await alice.follow(bob);
});

async function newList(settings: object = { title: "Friends" }): Promise<string> {
  return (await alice.post("/api/v1/lists", settings)).json.id;
}

const add = (list: string, ...people: { id: string }[]): Promise<Answer> =>
  alice.post(`/api/v1/lists/${list}/accounts`, { account_ids: people.map(({ id }) => id) });
const members = async (list: string): Promise<string[]> => idsOf(await alice.get(`/api/v1/lists/${list}/accounts`));

describe("A list", () => {
  test("is created with a title, and by default includes replies to members and is not exclusive", async () => {
    const { status, json } = await alice.post("/api/v1/lists", { title: "Friends" });
    expect(status).toBe(200);
    expectShape(json, "List");
    expect(json).toEqual({ id: json.id, title: "Friends", replies_policy: "list", exclusive: false });
    const other = await alice.post("/api/v1/lists", new URLSearchParams("title=B&replies_policy=none&exclusive=1"));
    expect(other.json).toMatchObject({ title: "B", replies_policy: "none", exclusive: true });
    expect((await alice.get("/api/v1/lists")).json).toEqual([json, other.json]);
    expect((await alice.get(`/api/v1/lists/${json.id}`)).json).toEqual(json);
  });

  test("can be updated with PUT and PATCH, and keeps the values that the request doesn't contain", async () => {
    const id = await newList({ title: "Friends", replies_policy: "none", exclusive: true });
    const renamed = await alice.put(`/api/v1/lists/${id}`, { title: "Foes" });
    expect(renamed.json).toEqual({ id, title: "Foes", replies_policy: "none", exclusive: true });
    const opened = await alice.patch(`/api/v1/lists/${id}`, {
      title: "Foes",
      replies_policy: "followed",
      exclusive: false,
    });
    expect(opened.json).toEqual({ id, title: "Foes", replies_policy: "followed", exclusive: false });
    expect((await alice.get(`/api/v1/lists/${id}`)).json).toEqual(opened.json);
  });

  test("needs a title of limited length, and a valid policy", async () => {
    const id = await newList();
    const sent = [
      [{}, "Validation failed: Title can't be blank"],
      [{ title: " " }, "Validation failed: Title can't be blank"],
      [{ title: "a".repeat(257) }, "Validation failed: Title is too long (maximum is 256 characters)"],
      [{ title: "A", replies_policy: "all" }, "'all' is not a valid replies_policy"],
    ] as const;
    for (const [body, error] of sent) {
      expect(refusal(await alice.post("/api/v1/lists", body))).toEqual({ status: 422, json: { error } });
      expect(refusal(await alice.put(`/api/v1/lists/${id}`, body))).toEqual({ status: 422, json: { error } });
    }
    expect((await alice.get(`/api/v1/lists/${id}`)).json.title).toBe("Friends");
  });

  test("is refused to a user who has fifty", async () => {
    for (let n = 0; n < 50; n += 1) await newList({ title: `List ${n}` });
    expect(refusal(await alice.post("/api/v1/lists", { title: "One more" }))).toEqual({
      status: 422,
      json: { error: "Validation failed: You have reached the maximum number of lists" },
    });
    expect((await bob.post("/api/v1/lists", { title: "Bob's first" })).status).toBe(200);
  });

  test("is not found after its deletion", async () => {
    const id = await newList();
    await add(id, bob);
    const { status, json } = await alice.delete(`/api/v1/lists/${id}`);
    expect({ status, json }).toEqual({ status: 200, json: {} });
    expect((await alice.get("/api/v1/lists")).json).toEqual([]);
    for (const path of [`lists/${id}`, `lists/${id}/accounts`, `timelines/list/${id}`]) {
      expect(refusal(await alice.get(`/api/v1/${path}`))).toEqual(NOT_FOUND);
    }
    expect(refusal(await alice.delete(`/api/v1/lists/${id}`))).toEqual(NOT_FOUND);
  });

  test("of another user is not found, like one that doesn't exist", async () => {
    const id = await newList();
    await add(id, bob);
    for (const [who, list] of [
      [carol, id],
      [alice, "999999"],
      [alice, "nonsense"],
    ] as const) {
      const answers = [
        await who.get(`/api/v1/lists/${list}`),
        await who.put(`/api/v1/lists/${list}`, { title: "Mine" }),
        await who.delete(`/api/v1/lists/${list}`),
        await who.get(`/api/v1/lists/${list}/accounts`),
        await who.post(`/api/v1/lists/${list}/accounts`, { account_ids: [bob.id] }),
        await who.delete(`/api/v1/lists/${list}/accounts`, { account_ids: [bob.id] }),
        await who.get(`/api/v1/timelines/list/${list}`),
      ];
      expect(answers.map(refusal)).toEqual(answers.map(() => NOT_FOUND));
    }
    expect((await carol.get("/api/v1/lists")).json).toEqual([]);
    expect(await members(id)).toEqual([bob.id]);
  });

  test("needs the scopes for lists", async () => {
    const id = await newList();
    await expectGuarded(server, alice, "read:lists", [
      ["get", "/api/v1/lists"],
      ["get", `/api/v1/lists/${id}`],
      ["get", `/api/v1/lists/${id}/accounts`],
      ["get", `/api/v1/accounts/${bob.id}/lists`],
      ["get", `/api/v1/timelines/list/${id}`],
    ]);
    await expectGuarded(server, alice, "write:lists", [
      ["post", "/api/v1/lists", { title: "A" }],
      ["put", `/api/v1/lists/${id}`, { title: "A" }],
      ["patch", `/api/v1/lists/${id}`, { title: "A" }],
      ["post", `/api/v1/lists/${id}/accounts`, { account_ids: [bob.id] }],
      ["delete", `/api/v1/lists/${id}/accounts`, { account_ids: [bob.id] }],
      ["delete", `/api/v1/lists/${id}`],
    ]);
  });
});

describe("The members of a list", () => {
  test("must be followed accounts or the owner", async () => {
    const id = await newList();
    expect(refusal(await add(id, bob))).toEqual({ status: 200, json: {} });
    await add(id, alice);
    const { json } = await alice.get(`/api/v1/lists/${id}/accounts`);
    expectShape(json, ["Account"]);
    expect(idsOf(json)).toEqual([alice.id, bob.id]);
  });

  test("are added all or none: each must be followed and not yet a member", async () => {
    const id = await newList();
    for (const stranger of [carol, { id: "999999" }, { id: "nonsense" }]) {
      expect(refusal(await add(id, bob, stranger))).toEqual(NOT_FOUND);
    }
    expect(await members(id)).toEqual([]);
    await add(id, bob, bob);
    await alice.follow(carol);
    expect(refusal(await add(id, carol, bob))).toEqual({
      status: 422,
      json: { error: "Validation failed: Account has already been taken" },
    });
    expect(await members(id)).toEqual([bob.id]);
  });

  test("can be named in a form or the query", async () => {
    const id = await newList();
    await alice.post(`/api/v1/lists/${id}/accounts`, new URLSearchParams(`account_ids[]=${bob.id}`));
    expect(await members(id)).toEqual([bob.id]);
    const gone = await alice.delete(`/api/v1/lists/${id}/accounts?account_ids[]=${bob.id}`);
    expect(refusal(gone)).toEqual({ status: 200, json: {} });
    expect(await members(id)).toEqual([]);
  });

  test("can be removed even if some of the accounts are no members", async () => {
    const id = await newList();
    await add(id, bob);
    const answer = await alice.delete(`/api/v1/lists/${id}/accounts`, { account_ids: [carol.id, bob.id, "nobody"] });
    expect(refusal(answer)).toEqual({ status: 200, json: {} });
    expect(await members(id)).toEqual([]);
  });

  test("are removed when the owner unfollows them", async () => {
    const id = await newList();
    await add(id, bob);
    await alice.post(`/api/v1/accounts/${bob.id}/unfollow`);
    expect(await members(id)).toEqual([]);
    await alice.follow(bob);
    expect(await members(id)).toEqual([]);
  });

  test("may be accounts with a pending follow request, and remain after its acceptance", async () => {
    await carol.patch("/api/v1/accounts/update_credentials", { locked: true });
    const { id: before } = await carol.publish("from before");
    await alice.follow(carol);
    const id = await newList();
    expect((await add(id, carol)).status).toBe(200);
    expect(await members(id)).toEqual([carol.id]);
    expect((await alice.get(`/api/v1/timelines/list/${id}`)).json).toEqual([]);
    await carol.post(`/api/v1/follow_requests/${alice.id}/authorize`);
    expect(await members(id)).toEqual([carol.id]);
    const { id: after } = await carol.publish({ status: "for followers", visibility: "private" });
    expect(idsOf(await alice.get(`/api/v1/timelines/list/${id}`))).toEqual([after, before]);
  });

  test("are removed when the follow request is rejected or withdrawn", async () => {
    await carol.patch("/api/v1/accounts/update_credentials", { locked: true });
    const id = await newList();
    const requestToFollow = async () => {
      await alice.follow(carol);
      await add(id, carol);
      expect(await members(id)).toEqual([carol.id]);
    };
    await requestToFollow();
    await carol.post(`/api/v1/follow_requests/${alice.id}/reject`);
    expect(await members(id)).toEqual([]);
    await requestToFollow();
    await alice.post(`/api/v1/accounts/${carol.id}/unfollow`);
    expect(await members(id)).toEqual([]);
  });

  test("are listed in pages, the latest first, or all at once", async () => {
    const id = await newList();
    const people: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const person = await server.person(`person${n}`);
      await alice.follow(person);
      await add(id, person);
      people.unshift(person.id);
    }
    const pages = await pagesOf(alice, `/api/v1/lists/${id}/accounts?limit=2`);
    expect(pages.map(idsOf)).toEqual([people.slice(0, 2), people.slice(2, 4), people.slice(4)]);
    const first = await alice.get(`/api/v1/lists/${id}/accounts?limit=2`);
    const newer = linksOf(await turn(alice, linksOf(first).next)).prev!;
    expect(idsOf(await turn(alice, newer))).toEqual(people.slice(0, 2));
    const all = await alice.get(`/api/v1/lists/${id}/accounts?limit=0`);
    expect(idsOf(all)).toEqual(people);
    expect(all.headers.get("link")).toBeNull();
  });

  test("are listed for the owner only, and so are the lists of an account", async () => {
    const [one, , three] = [
      await newList({ title: "1" }),
      await newList({ title: "2" }),
      await newList({ title: "3" }),
    ];
    await add(one, bob);
    await add(three, bob);
    const { status, json } = await alice.get(`/api/v1/accounts/${bob.id}/lists`);
    expect(status).toBe(200);
    expectShape(json, ["List"]);
    expect(idsOf(json)).toEqual([one, three]);
    expect((await alice.get(`/api/v1/accounts/${carol.id}/lists`)).json).toEqual([]);
    expect((await carol.get(`/api/v1/accounts/${bob.id}/lists`)).json).toEqual([]);
    expect(refusal(await alice.get("/api/v1/accounts/999999/lists"))).toEqual(NOT_FOUND);
  });
});
