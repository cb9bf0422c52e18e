import { beforeEach, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { remoteAccount } from "../support/remote-rows.ts";
import { storeFrom } from "../support/remote-statuses.ts";
import { relationship } from "../support/reading.ts";
import { serverForEachTest } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForEachTest(["alice", "bob"]);
let visitor: Visitor;

beforeEach(() => {
  visitor = new Visitor(server);
});

const pageFor = (uri: string) => `/authorize_interaction?${new URLSearchParams({ uri })}`;

describe("The page for visitors of other servers", () => {
  test("asks them to sign in first, and then follows the account that they came for", async () => {
    const rita = remoteAccount(server, { displayName: "Rita <3" });
    const page = pageFor("acct:rita@far.example");
    const { text } = await visitor.get(page);
    expect(text).toContain("Sign in");
    const signedIn = await visitor.press("Sign in", { login: "alice", password: "correct horse" });
    expect(signedIn.location).toBe(page);
    expect((await visitor.get(page)).text).toContain("Follow Rita <3");
    expect((await visitor.press("Follow")).text).toContain("You have asked to follow this account.");
    expect(await relationship(alice, rita)).toMatchObject({ requested: true });
  });

  test("leads to the post that they came for, where they can react to it", async () => {
    await visitor.signIn("alice");
    const uri = "https://far.example/users/rita/statuses/1";
    storeFrom(server, remoteAccount(server), { uri, content: "<p>look at this</p>" });
    expect((await visitor.get(pageFor(uri))).location).toStartWith("/@rita@far.example/");
    const { text, html } = await visitor.follow();
    expect([text, html]).toEqual([expect.stringContaining("look at this"), expect.stringContaining("in_reply_to=")]);
  });

  test.each([
    ["http://ostatus.org/schema/1.0/subscribe", "{uri}"],
    ["https://w3id.org/fep/3b86/Follow", "{object}"],
    ["https://w3id.org/fep/3b86/Object", "{object}"],
  ])("has its address in WebFinger, as %s", async (rel, placeholder) => {
    const { host } = new URL(server.ctx.config.origin);
    const resource = encodeURIComponent(`acct:alice@${host}`);
    const { links } = (await server.stranger().get(`/.well-known/webfinger?resource=${resource}`)).json;
    const { template } = links.find((link: Json) => link.rel === rel);
    expect(template).toStartWith(`${server.ctx.config.origin}/`);
    const rita = remoteAccount(server, { displayName: "Rita" });
    const post = { uri: "https://far.example/users/rita/statuses/1?a=b&c=d", content: "<p>look at this</p>" };
    storeFrom(server, rita, post);
    await visitor.signIn("alice");
    const pageOf = async (uri: string): Promise<string> => {
      const { pathname, search } = new URL(template.replace(placeholder, encodeURIComponent(uri)));
      const { location, text } = await visitor.get(pathname + search);
      return location === null ? text : (await visitor.follow()).text;
    };
    expect(await pageOf(rita.uri)).toContain("Follow Rita");
    expect(await pageOf(post.uri)).toContain("look at this");
  });

  test("says so if nothing is there, and follows nobody without its form", async () => {
    await visitor.signIn("alice");
    const missing = await visitor.get(pageFor("nobody"));
    expect([missing.status, missing.text.includes("Nothing found")]).toEqual([404, true]);
    const forged = await visitor.post("/authorize_interaction", { account: bob.id });
    expect(forged.status).toBe(403);
    expect(await relationship(alice, bob)).toMatchObject({ following: false });
  });
});
