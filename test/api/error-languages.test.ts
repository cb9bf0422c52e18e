import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createUser } from "../../src/core/people/users.ts";
import { Client, type Answer } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";

const NOT_FOUND = { en: "Record not found", de: "Das gibt es hier nicht", fr: "Cela n’existe pas ici" };
type Language = keyof typeof NOT_FOUND;

const { server } = serverForAllTests();
/** By the locale of their registration. */
const people = new Map<string, Client>();

beforeAll(async () => {
  for (const locale of ["en", "de", "de-AT", "fr", "es"]) {
    const username = locale.replace("-", "_");
    const user = await createUser(server.ctx, { username, password: "correct horse", role: "user", locale });
    people.set(locale, new Client(server.origin, server.token(user.userId, "read write"), String(user.accountId)));
  }
});

const from = (acceptLanguage: string): RequestInit => ({ headers: { "accept-language": acceptLanguage } });

describe("The language of an error is", () => {
  test.each<[string, string | null, string, string, Language]>([
    ["the stranger's browser language", null, "", "de-CH,de;q=0.9,en;q=0.5", "de"],
    ["the browser language that the stranger prefers", null, "", "en;q=0.2,fr", "fr"],
    ["English for a stranger with an unsupported browser language", null, "", "es", "en"],
    ["English for a stranger without a browser language", null, "", "", "en"],
    ["the `lang` of the request", null, "?lang=fr", "de", "fr"],
    ["the `lang` of the request even for a user with another language", "de", "?lang=fr", "en", "fr"],
    ["the user's rather than the browser's", "de", "", "fr", "de"],
    ["the user's without its region", "de-AT", "", "fr", "de"],
    ["the user's if `lang` is unknown", "fr", "?lang=xx", "de", "fr"],
    ["the browser's if the user's is unsupported", "es", "", "de", "de"],
  ])("%s", async (_, locale, query, acceptLanguage, language) => {
    const who = locale === null ? server.stranger() : people.get(locale)!;
    for (const path of ["/api/v1/accounts/9", "/api/v1/statuses/9"]) {
      const { status, json } = await who.get(path + query, from(acceptLanguage));
      expect([path, status, json]).toEqual([path, 404, { error: NOT_FOUND[language] }]);
    }
  });
});

describe("German translations exist for", () => {
  const german = () => people.get("de")!;
  const errorOf = ({ status, json }: Answer): [number, string] => [status, json.error];

  test("validation errors, including the name of the field", async () => {
    expect(errorOf(await german().post("/api/v1/statuses", { status: " " }))).toEqual([
      422,
      "Ungültige Angaben: Text darf nicht leer sein",
    ]);
    expect(errorOf(await german().post("/api/v1/lists", {}))).toEqual([
      422,
      "Ungültige Angaben: Titel darf nicht leer sein",
    ]);
    const poll = { options: ["a"], expires_in: 1 };
    expect(errorOf(await german().post("/api/v1/statuses", { status: "?", poll }))).toEqual([
      422,
      "Ungültige Angaben: Eine Umfrage braucht mehr als eine Antwort, Die Umfrage dauert zu kurz",
    ]);
  });

  test("unknown tokens, missing tokens and missing scopes", async () => {
    const unknown = new Client(server.origin, "made-up");
    expect(errorOf(await unknown.get("/api/v1/timelines/home", from("de")))).toEqual([
      401,
      "Das Zugriffstoken ist ungültig",
    ]);
    const reader = server.otherApp(german(), "read");
    expect(errorOf(await reader.post("/api/v1/statuses", { status: "x" }))).toEqual([
      403,
      "Das hast du dieser App nicht erlaubt",
    ]);
  });

  test("unreadable bodies and unknown paths", async () => {
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

  test("OAuth's error descriptions, but not its error codes", async () => {
    const { status, json } = await server.stranger().post("/oauth/token", { grant_type: "x" }, from("de"));
    expect([status, json.error, json.error_description]).toEqual([
      400,
      "unsupported_grant_type",
      "grant_type muss authorization_code oder client_credentials sein.",
    ]);
  });

  test("errors in the query string that contains `lang`", async () => {
    const { status, json } = await server
      .stranger()
      .get("/api/v1/accounts?lang=de&a[b][c][d][e][f][g][h][i][j][k][l]=1");
    expect([status, json.error]).toEqual([400, expect.stringContaining("Ebenen tief verschachtelt")]);
  });
});

describe("A server with other settings", () => {
  let other: TestServer;
  afterEach(() => other.stop());

  test("translates the error about a rate limit", async () => {
    other = await startServer({ LINNET_RATE_LIMITS: "address=1/300" });
    await other.stranger().get("/api/v1/timelines/public");
    const { status, json } = await other.stranger().get("/api/v1/timelines/public", from("fr"));
    expect([status, json]).toEqual([429, { error: "Trop de requêtes. Réessayez plus tard." }]);
  });

  test("translates registration errors and their details, and replaces an unknown locale with its own", async () => {
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
