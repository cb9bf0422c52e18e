import { describe, expect, test } from "bun:test";
import { quotingUriIn } from "../../../src/federation/activities/quotes.ts";
import { readActivity } from "../../../src/federation/read/activity.ts";
import { PUBLIC } from "../../../src/federation/read/audience.ts";
import type { Json } from "../../../src/federation/read/json.ts";
import { readAuthorization } from "../../../src/federation/read/quotes/authorization.ts";
import { quotePolicyOf, quotersIn } from "../../../src/federation/read/quotes/policy.ts";
import { quoteOf } from "../../../src/federation/read/quotes/quote.ts";
import { readStatus } from "../../../src/federation/read/status.ts";
import { BO, fixture, NOW, objectOf } from "./fixtures.ts";

const ADA = "https://mastodon.example/users/ada";

describe("Mastodon's documents", () => {
  test("of a quote are read", async () => {
    const status = readStatus(await objectOf("mastodon/quote"), NOW)!;
    expect(status.quote).toEqual({
      uri: "https://gallery.example/users/ines/statuses/7",
      isLegacy: false,
      authorization: "https://gallery.example/users/ines/quote_authorizations/3",
    });
    const author = { uri: ADA, followers_url: `${ADA}/followers`, following_url: `${ADA}/following` };
    expect(quotersIn(status.quotePolicy, author)).toEqual({
      automatic: '["followers"]',
      manual: '["following","unsupported_policy"]',
    });
    expect(status.contentHtml).toStartWith('<p class="quote-inline">RE: ');
  });

  test("of a request, its answer and the authorization are read", async () => {
    const request = readActivity(await fixture("mastodon/quote-request"), NOW)!;
    expect(request).toMatchObject({ type: "QuoteRequest", objectId: `${BO}/statuses/7` });
    expect(readStatus(request.raw.instrument as Json, NOW)?.quote?.uri).toBe(`${BO}/statuses/7`);
    const answer = readActivity(await fixture("mastodon/quote-accept"), NOW)!;
    expect(quotingUriIn(answer)).toBe(`${BO}/statuses/9`);
    expect(readAuthorization(await fixture("mastodon/quote-authorization"))).toEqual({
      id: String(answer.raw.result),
      author: ADA,
      quotingUri: `${BO}/statuses/9`,
      quotedUri: `${ADA}/statuses/115000000000000009`,
    });
  });
});

describe("A quote", () => {
  const uri = "https://a.example/1";
  const link = { type: "Link", mediaType: 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"' };
  const rel = "https://misskey-hub.net/ns#_misskey_quote";

  test.each<[string, Json]>([
    ["quoteUrl", { quoteUrl: uri }],
    ["quoteUri", { quoteUri: uri }],
    ["_misskey_quote", { _misskey_quote: uri }],
    ["a Link that says so", { tag: [{ ...link, href: uri, rel }] }],
    ["a Link that says so among others", { tag: { ...link, href: uri, rel: ["x", rel] } }],
    ["a Link named like one", { tag: [{ ...link, mediaType: "application/activity+json", href: uri, name: "RE: x" }] }],
  ])("is found in %s, without consent", (_, json) => {
    expect(quoteOf({ ...json, quoteAuthorization: uri })).toEqual({ uri, isLegacy: true, authorization: null });
  });

  test.each<[string, Json]>([
    ["a Link to a page", { tag: [{ ...link, mediaType: "text/html", href: uri, rel }] }],
    ["a Link of another kind", { tag: [{ ...link, href: uri, rel: "me", name: "RE: x" }] }],
    ["a Link without a name", { tag: [{ ...link, href: uri }] }],
    ["a mention", { tag: [{ ...link, type: "Mention", href: uri, rel }] }],
    ["something that is no address", { quote: "7", quoteUrl: null, quoteUri: {}, _misskey_quote: [] }],
  ])("is not %s", (_, json) => expect(quoteOf(json)).toBeNull());
});

test("A policy without canQuote allows nobody, and its author may be named in vain", () => {
  const author = { uri: ADA, followers_url: null, following_url: null };
  const none = { automatic: "[]", manual: "[]" };
  for (const interactionPolicy of [undefined, null, PUBLIC, {}, { canQuote: PUBLIC }, { canQuote: {} }]) {
    expect(quotersIn(quotePolicyOf({ interactionPolicy }), author)).toEqual(none);
  }
  const toOthers = { canQuote: { automaticApproval: [ADA], manualApproval: "as:Public" } };
  expect(quotersIn(quotePolicyOf({ interactionPolicy: toOthers }), author)).toEqual({
    automatic: "[]",
    manual: '["public"]',
  });
});

test("An authorization without one of its parts is none", async () => {
  const whole = await fixture("mastodon/quote-authorization");
  for (const name of ["id", "type", "attributedTo", "interactingObject", "interactionTarget"]) {
    expect(readAuthorization({ ...whole, [name]: undefined })).toBeNull();
  }
});
