import { expect, test } from "bun:test";
import { SCOPES } from "../../src/oauth/scopes.ts";
import { messagesFor } from "../../src/web/i18n/negotiation.ts";

test("every scope has a different explanation in every language", () => {
  for (const language of ["en", "de", "fr"]) {
    const { scopes } = messagesFor([language], null);
    expect(new Set(SCOPES.map((scope) => scopes[scope])).size).toBe(SCOPES.length);
  }
});

test("every language has its own messages", () => {
  const [english, german, french] = ["en", "de", "fr"].map((language) => messagesFor([language], null));
  for (const key of ["signIn", "password", "allow", "deny", "setupIntro", "notFound", "codeLifetime"] as const) {
    expect(new Set([english![key], german![key], french![key]]).size).toBe(3);
  }
});

test("a long or odd Accept-Language header does no harm", () => {
  for (const header of [";".repeat(10_000), "en;q=NaN,de;q=-1,fr;q=2", ",,,", "__proto__"]) {
    expect(messagesFor([], header).language).toBeString();
  }
  expect(messagesFor([], "en;q=0, de").language).toBe("de");
});
