import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createUser } from "../../src/core/people/users.ts";
import { Client, type Answer } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";

const NOT_FOUND = { en: "Record not found", de: "Das gibt es hier nicht", fr: "Cela n’existe pas ici" };
type Language = keyof typeof NOT_FOUND;

const { server } = serverForAllTests();
/** By the locale that they signed up with. */
const people = new Map<string, Client>();

beforeAll(async () => {
  for (const locale of ["en", "de", "de-AT", "fr", "es"]) {
    const username = locale.replace("-", "_");
    const user = await createUser(server.ctx, { username, password: "correct horse", role: "user", locale });
    people.set(locale, new Client(server.origin, server.token(user.userId, "read write"), String(user.accountId)));
  }
});

const from = (acceptLanguage: string): RequestInit => ({ headers: { "accept-language": acceptLanguage } });

describe("An error is in the language", () => {
  test.each<[string, string | null, string, string, Language]>([
    ["of a stranger's browser", null, "", "de-CH,de;q=0.9,en;q=0.5", "de"],
    ["of a stranger's browser, by preference", null, "", "en;q=0.2,fr", "fr"],
    ["English for a stranger in any other", null, "", "es", "en"],
    ["English for a stranger who asks for none", null, "", "", "en"],
    ["that the request asks for", null, "?lang=fr", "de", "fr"],
    ["that the request asks for, whoever asks", "de", "?lang=fr", "en", "fr"],
    ["of the user, whatever the browser says", "de", "", "fr", "de"],
    ["of the user with a region", "de-AT", "", "fr", "de"],
    ["of the user where the one asked for is unknown", "fr", "?lang=xx", "de", "fr"],
    ["of the browser where the user's is unknown", "es", "", "de", "de"],
  ])("%s", async (_, locale, query, acceptLanguage, language) => {
    const who = locale === null ? server.stranger() : people.get(locale)!;
    for (const path of ["/api/v1/accounts/9", "/api/v1/statuses/9"]) {
      const { status, json } = await who.get(path + query, from(acceptLanguage));
      expect([path, status, json]).toEqual([path, 404, { error: NOT_FOUND[language] }]);
    }
  });
});

describe("In German are", () => {
  const german = () => people.get("de")!;
  const said = ({ status, json }: Answer): [number, string] => [status, json.error];

  test("validations, with the name of the field", async () => {
    expect(said(await german().post("/api/v1/statuses", { status: " " }))).toEqual([
      422,
      "Ungültige Angaben: Text darf nicht leer sein",
    ]);
    expect(said(await german().post("/api/v1/lists", {}))).toEqual([
      422,
      "Ungültige Angaben: Titel darf nicht leer sein",
    ]);
    const poll = { options: ["a"], expires_in: 1 };
    expect(said(await german().post("/api/v1/statuses", { status: "?", poll }))).toEqual([
      422,
      "Ungültige Angaben: Eine Umfrage braucht mehr als eine Antwort, Die Umfrage dauert zu kurz",
    ]);
  });

  test("tokens that are unknown, missing or not allowed to", async () => {
    const unknown = new Client(server.origin, "made-up");
    expect(said(await unknown.get("/api/v1/timelines/home", from("de")))).toEqual([
      401,
      "Das Zugriffstoken ist ungültig",
    ]);
    const reader = server.otherApp(german(), "read");
    expect(said(await reader.post("/api/v1/statuses", { status: "x" }))).toEqual([
      403,
      "Das hast du dieser App nicht erlaubt",
    ]);
  });

  test("bodies that cannot be read, and addresses that are not there", async () => {
    const headers = { "content-type": "application/json", "accept-language": "de" };
    const broken = await fetch(`${server.origin}/api/v1/apps`, { method: "POST", body: "{", headers });
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: "Der Inhalt der Anfrage ist kein gültiges JSON" },
    ]);
    for (const method of ["GET", "POST"]) {
      const missing = await fetch(`${server.origin}/api/v9/nothing`, { method, headers: { "accept-language": "de" } });
      expect([method, missing.status, await missing.json()]).toEqual([
        method,
        404,
        { error: "Das gibt es hier nicht" },
      ]);
    }
  });

  test("OAuth's descriptions, but not its codes", async () => {
    const { status, json } = await server.stranger().post("/oauth/token", { grant_type: "x" }, from("de"));
    expect([status, json.error, json.error_description]).toEqual([
      400,
      "unsupported_grant_type",
      "grant_type muss authorization_code oder client_credentials sein.",
    ]);
  });

  test("a query that is refused itself, in the language that it asks for", async () => {
    const { status, json } = await server
      .stranger()
      .get("/api/v1/accounts?lang=de&a[b][c][d][e][f][g][h][i][j][k][l]=1");
    expect([status, json.error]).toEqual([400, expect.stringContaining("Ebenen tief verschachtelt")]);
  });
});

describe("On a server of its own", () => {
  let other: TestServer;
  afterEach(() => other.stop());

  test("a limit that is reached is told in the reader's language", async () => {
    other = await startServer({ LINNET_RATE_LIMITS: "address=1/300" });
    await other.stranger().get("/api/v1/timelines/public");
    const { status, json } = await other.stranger().get("/api/v1/timelines/public", from("fr"));
    expect([status, json]).toEqual([429, { error: "Trop de requêtes. Réessayez plus tard." }]);
  });

  test("a sign-up has its reasons and their details in it, and an unknown locale becomes the server's", async () => {
    other = await startServer({ LINNET_REGISTRATIONS: "open", LINNET_LANGUAGES: "fr,en" });
    await other.person("owner");
    const app = new Client(other.origin, other.token(null, "read write"));
    const eve = {
      username: "",
      email: "eve@mail.example",
      password: "correct horse",
      agreement: true,
      locale: "klingon",
    };
    const refused = await app.post("/api/v1/accounts", eve, from("de"));
    expect([refused.status, refused.json]).toEqual([
      422,
      {
        error: "Ungültige Angaben: Name darf nicht leer sein",
        details: { username: [{ error: "ERR_BLANK", description: "darf nicht leer sein" }] },
      },
    ]);
    const made = await app.post("/api/v1/accounts", { ...eve, username: "eve" });
    expect(made.status).toBe(200);
    const { json } = await new Client(other.origin, made.json.access_token).get("/api/v1/statuses/9", from("de"));
    expect(json.error).toBe(NOT_FOUND.fr);
  });
});
