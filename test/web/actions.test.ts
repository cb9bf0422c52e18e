import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Client, Json } from "../support/client.ts";
import { remoteAccount, remoteFollows, remoteStatus } from "../support/rows.ts";
import { serverForAllTests } from "../support/setup.ts";
import { type Seen, Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"]);
let carol: Client;
let visitor: Visitor;

beforeAll(async () => {
  carol = await server.person("carol", { role: "user" });
});
beforeEach(async () => {
  visitor = await signedIn("alice");
});

async function signedIn(name: string): Promise<Visitor> {
  const user = new Visitor(server);
  await user.signIn(name);
  return user;
}

const pathOf = (status: Json): string => new URL(status.url).pathname;
const now = async (status: Json): Promise<Json> => (await alice.get(`/api/v1/statuses/${status.id}`)).json;
const relation = async (who: Client): Promise<Json> =>
  (await alice.get(`/api/v1/accounts/relationships?id[]=${who.id}`)).json[0];

describe("The buttons beneath a post", () => {
  test("favourite, boost, bookmark and mute it, and undo that; each leads back to the post", async () => {
    const status = await bob.publish("a bird");
    for (const [label, flag] of [
      ["Favourite", "favourited"],
      ["Boost", "reblogged"],
      ["Bookmark", "bookmarked"],
    ] as const) {
      for (const isOn of [true, false]) {
        await visitor.get(pathOf(status));
        const { location } = await visitor.press(label);
        expect(location).toBe(`${pathOf(status)}#post`);
        expect([label, (await now(status))[flag]]).toEqual([label, isOn]);
      }
    }
    await visitor.get(`${pathOf(status)}?lang=fr`);
    expect((await visitor.press("Masquer la conversation")).location).toBe(`${pathOf(status)}?lang=fr#post`);
    expect((await now(status)).muted).toBe(true);
    await visitor.get(pathOf(status));
    await visitor.press("Unmute conversation");
    expect((await now(status)).muted).toBe(false);
  });

  test("lead back to the place of a boost in a list", async () => {
    const status = await carol.publish("seen by bob");
    const boost = (await bob.post(`/api/v1/statuses/${status.id}/reblog`)).json;
    const { html } = await visitor.get("/@bob");
    expect(html).toContain(`id="post-${boost.id}"`);
    const { location } = await visitor.press("Favourite", {}, `/posts/${status.id}`);
    expect(location).toBe(`/@bob#post-${boost.id}`);
  });

  test("never lead to another site", async () => {
    const status = await bob.publish("bait");
    await visitor.get(pathOf(status));
    for (const return_to of ["https://evil.example/", "//evil.example", `/${"x".repeat(9000)}`]) {
      expect((await visitor.press("Favourite", { return_to })).location).toBe("/home");
      await visitor.get(pathOf(status));
    }
  });

  test("do nothing for a form of another session, and ask whether to go on", async () => {
    const status = await bob.publish("twice asked");
    await visitor.get(pathOf(status));
    const asked = await visitor.press("Favourite", { csrf: "old" });
    expect([asked.status, (await now(status)).favourited]).toEqual([403, false]);
    expect((await visitor.press("Continue")).location).toBe(`${pathOf(status)}#post`);
    expect((await now(status)).favourited).toBe(true);
    const stranger = await new Visitor(server).post(`/posts/${status.id}`, { do: "favourite" });
    expect([stranger.status, stranger.text]).toEqual([403, expect.stringContaining("You are signed out")]);
  });

  test("pin, edit and delete only the user's own posts, and deleting asks first", async () => {
    const [own, other] = [await alice.publish("mine"), await bob.publish("not mine")];
    const { html } = await visitor.get(pathOf(other));
    expect(html).not.toMatch(/Delete|Pin to profile|>Edit</);
    for (const path of [`/posts/${other.id}/delete`, `/compose?edit=${other.id}`]) {
      expect((await visitor.get(path)).status).toBe(404);
    }
    const { forms } = await visitor.get(`/posts/${own.id}/delete`);
    const { csrf } = forms.find(({ action }) => action.endsWith("/delete"))!.fields;
    expect((await visitor.post(`/posts/${other.id}/delete`, { csrf })).status).toBe(404);

    await visitor.get(pathOf(own));
    await visitor.press("Pin to profile");
    expect((await now(own)).pinned).toBe(true);
    const [, link] = /href="([^"]*)">Delete</.exec((await visitor.get(pathOf(own))).html)!;
    expect((await visitor.get(link!.replaceAll("&amp;", "&"))).text).toContain("mine");
    expect((await visitor.press("Delete")).location).toBe("/@alice");
    expect((await alice.get(`/api/v1/statuses/${own.id}`)).status).toBe(404);
  });

  test("are only those that the author allows", async () => {
    const onlyMe = { automatic_approval: ["author"] };
    const closed = await carol.publish({
      status: "leave me alone",
      interaction_policy: { can_reply: onlyMe, can_reblog: onlyMe, can_favourite: onlyMe },
    });
    const { html } = await visitor.get(pathOf(closed));
    expect(html).not.toMatch(/in_reply_to=|value="(reblog|favourite)"/);
    expect(html).toContain('value="bookmark"');
  });

  test("vote in a poll once, with several choices if it has them", async () => {
    const poll = { options: ["Wren", "Robin", "Linnet"], multiple: true, expires_in: 3600 };
    const status = await bob.publish({ status: "which?", poll });
    const nothing = await visitor.post(`/posts/${status.id}`, { ...(await ballotOf(status)), do: "vote" });
    expect([nothing.status, nothing.text]).toEqual([400, expect.stringContaining("Choose an answer first.")]);
    expect((await now(status)).poll).toMatchObject({ voted: false, voters_count: 0 });
    await visitor.post(`/posts/${status.id}`, {
      ...(await ballotOf(status)),
      "choices[]": "2",
      do: "vote",
    });
    expect((await now(status)).poll).toMatchObject({ voted: true, own_votes: [2] });
    const { text } = await visitor.get(pathOf(status));
    expect(text).toContain("100%");
    const own = await alice.publish({ status: "mine", poll });
    expect((await visitor.get(pathOf(own))).html).not.toContain(">Vote<");
  });

  async function ballotOf(status: Json): Promise<Record<string, string>> {
    const { forms } = await visitor.get(pathOf(status));
    return forms.find(({ buttons }) => buttons.some(({ value }) => value === "vote"))!.fields;
  }

  test("are not there for anonymous visitors", async () => {
    const status = await bob.publish("just look");
    const { html, forms } = await new Visitor(server).get(pathOf(status));
    expect([forms, html.includes("/compose")]).toEqual([[], false]);
  });
});

describe("The buttons of a profile", () => {
  test("follow, mute and block the account, and undo that", async () => {
    for (const [label, flag, isOn] of [
      ["Follow", "following", true],
      ["Unfollow", "following", false],
      ["Mute", "muting", true],
      ["Unmute", "muting", false],
      ["Block", "blocking", true],
      ["Unblock", "blocking", false],
    ] as const) {
      await visitor.get("/@carol");
      const { location } = await visitor.press(label);
      expect([label, location, (await relation(carol))[flag]]).toEqual([label, "/@carol", isOn]);
    }
    expect((await visitor.get("/@alice")).html).not.toContain('value="follow"');
  });

  test("answer a follow request", async () => {
    const [rita, dora] = ["rita", "dora"].map((name) => remoteAccount(server, name, "far.example"));
    for (const from of [rita!, dora!]) remoteFollows(server, from, alice, "follow_requests");
    await visitor.get("/follow-requests");
    await visitor.press("Accept", {}, `/accounts/${rita}`);
    await visitor.get("/follow-requests");
    const { location } = await visitor.press("Reject", {}, `/accounts/${dora}`);
    expect(location).toBe("/follow-requests");
    const followers = (await alice.get(`/api/v1/accounts/${alice.id}/followers`)).json as Json[];
    expect(followers.map(({ acct }) => acct)).toEqual(["rita@far.example"]);
    expect((await visitor.follow()).text).toContain("Nobody is waiting");
  });
});

describe("Signed-in users read", () => {
  /** The statuses that an anonymous visitor, alice and carol get. */
  async function statuses(path: string): Promise<number[]> {
    const all = [new Visitor(server), visitor, await signedIn("carol")];
    return Promise.all(all.map(async (each) => (await each.get(path)).status));
  }

  test("posts of this server that they may see: of followed accounts, and those that mention them", async () => {
    await alice.follow(bob);
    const followers = await bob.publish({ status: "for followers", visibility: "private" });
    const direct = await bob.publish({ status: "@alice for you", visibility: "direct" });
    for (const status of [followers, direct]) expect(await statuses(pathOf(status))).toEqual([404, 200, 404]);
    const { text, headers } = await visitor.get(pathOf(followers));
    expect([text, headers.get("cache-control")]).toEqual([expect.stringContaining("for followers"), "no-store"]);
    expect((await visitor.get("/@bob")).text).toContain("for followers");
    expect((await new Visitor(server).get("/@bob")).text).not.toContain("for followers");
    expect((await visitor.get(`/@carol/${followers.id}`)).status).toBe(404);
    await bob.post(`/api/v1/accounts/${alice.id}/block`);
    expect((await visitor.get(pathOf(followers))).status).toBe(404);
    await bob.post(`/api/v1/accounts/${alice.id}/unblock`);
  });

  test("posts and profiles of other servers here, which anonymous visitors read there", async () => {
    const far = remoteAccount(server, "wren", "far.example");
    const id = remoteStatus(server, far, "from afar");
    for (const path of ["/@wren@far.example", `/@wren@far.example/${id}`]) {
      expect([path, await statuses(path)]).toEqual([path, [404, 200, 200]]);
      const { text, html } = await visitor.get(path);
      expect(text).toContain("from afar");
      expect(html).toMatch(/in_reply_to=.*value="reblog".*value="favourite"/);
    }
    const { html } = await visitor.get("/@wren@far.example");
    expect(html).toContain(`href="/@wren@far.example/${id}"`);
    expect(html).toContain('href="https://far.example/@wren" rel="nofollow noopener noreferrer">Original page');
    expect((await visitor.get("/@wren@elsewhere.example/" + id)).status).toBe(404);
  });

  test("mentions of other servers' accounts here", async () => {
    remoteAccount(server, "finch", "far.example");
    const status = await bob.publish("@finch@far.example sings");
    const linked = (seen: Seen) => /<a href="([^"]*)" class="u-url mention"/.exec(seen.html)?.[1];
    expect(linked(await visitor.get(pathOf(status)))).toBe("/@finch@far.example");
    expect(linked(await new Visitor(server).get(pathOf(status)))).toBe("https://far.example/@finch");
  });
});
