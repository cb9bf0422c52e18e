import { beforeAll, describe, expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

const SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1";
const { server, alice } = serverForAllTests(["alice"]);

const list = async (query: string) => (await alice.get(`/api/v1/notifications${query}`)).json;

describe("A sign-in from a new browser", () => {
  beforeAll(async () => {
    const own = new Visitor(server);
    await own.signIn("alice");
    await own.signIn("alice");
    await new Visitor(server, { "user-agent": SAFARI }).signIn("alice");
  });

  test("is one notification, with a text for apps that don't know its type", async () => {
    const [notification, ...others] = await list("?supported_types[]=mention");
    expect(others).toEqual([]);
    expect(notification).toMatchObject({ type: "linnet.sign_in", account: { acct: "alice" } });
    expect(notification.fallback).toEqual({
      title: "New sign-in",
      summary: "You signed in with Safari on iPhone, from the address 127.0.0.1.",
      details: expect.stringContaining("change your password"),
    });
    expect((await alice.get(`/api/v1/notifications/${notification.id}`)).json.type).toBe("linnet.sign_in");
  });

  test("is listed for apps that name the type, also in groups", async () => {
    expect(await list("?types[]=linnet.sign_in")).toHaveLength(1);
    expect(await list("?supported_types[]=mention&exclude_types[]=linnet.sign_in")).toEqual([]);
    const groups = (await alice.get("/api/v2/notifications?supported_types[]=mention")).json.notification_groups;
    expect(groups).toMatchObject([{ type: "linnet.sign_in", fallback: { title: "New sign-in" } }]);
  });

  test("is on the page of notifications, with a way to sign that browser out", async () => {
    const visitor = new Visitor(server);
    await visitor.signIn("alice");
    const { text, html } = await visitor.get("/notifications?lang=en");
    expect(text).toContain("A new browser has signed in to your account");
    expect(text).toContain("Safari on iPhone, from the address 127.0.0.1.");
    expect(html).toContain('<a href="/settings/apps">');
    const german = await visitor.get("/notifications?lang=de");
    expect(german.text).toContain("Du hast dich mit Safari unter iPhone angemeldet, von der Adresse 127.0.0.1.");
  });

  test("is described in the language of the first sign-in, or in the one that the user has chosen since", async () => {
    const carla = await server.person("carla");
    const german = new Visitor(server, { "accept-language": "de-AT" });
    await german.get("/sign-in");
    await german.press("Anmelden", { login: "carla", password: "correct horse" });
    const summary = async () => {
      await new Visitor(server, { "user-agent": SAFARI, "accept-language": "en" }).signIn("carla");
      return (await carla.get("/api/v1/notifications?supported_types[]=mention")).json[0].fallback.summary;
    };
    expect(await summary()).toContain("Du hast dich mit Safari unter iPhone angemeldet");
    await german.get("/settings/appearance");
    await german.press("Speichern", { language: "fr" });
    expect(await summary()).toContain("Vous vous êtes connecté avec Safari");
  });

  test("is not listed or counted for apps that might show an error for it", async () => {
    expect(await list("")).toEqual([]);
    expect(await list("?types[]=mention&exclude_types[]=follow")).toEqual([]);
    expect((await alice.get("/api/v2/notifications")).json.notification_groups).toEqual([]);
    expect((await alice.get("/api/v1/notifications/unread_count")).json).toEqual({ count: 0 });
  });
});
