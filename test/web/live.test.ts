import { afterEach, beforeAll, beforeEach, describe, expect, jest, test } from "bun:test";
import type { Client } from "../support/client.ts";
import { inProcess } from "../support/server.ts";
import { serverForAllTests } from "../support/setup.ts";
import { listening } from "../support/streams.ts";
import { Visitor } from "./visitor.ts";

const { server, alice, bob } = serverForAllTests(["alice", "bob"], { LINNET_RATE_LIMITS: "streams=2" });
let carol: Client;
let visitor: Visitor;
const open: AbortController[] = [];

beforeAll(async () => {
  carol = await server.person("carol", { role: "user" });
  await alice.follow(bob);
  await server.drain();
});
beforeEach(async () => {
  visitor = new Visitor(server);
  await visitor.signIn("alice");
});
afterEach(async () => {
  jest.useRealTimers();
  for (const each of open.splice(0)) each.abort();
  await listening(server, 0);
});

/** Requests /live as the script of a page does. */
function request(query = "", headers: Record<string, string> = {}): Promise<Response> {
  const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
  const ending = new AbortController();
  open.push(ending);
  return fetch(`${server.origin}/live?${query}`, {
    headers: { cookie, "sec-fetch-site": "same-origin", ...headers },
    signal: ending.signal,
  });
}

/** The text of a stream, as it arrives. */
class News {
  private text = "";
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor({ body }: Response) {
    this.reader = body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  static async open(query?: string): Promise<News> {
    const news = new News(await request(query));
    await news.until(":)");
    return news;
  }

  /** Everything up to and including this text. */
  async until(end: string): Promise<string> {
    while (!this.text.includes(end)) {
      const { value, done } = await this.reader.read();
      if (done) return this.text;
      this.text += new TextDecoder().decode(value);
    }
    const at = this.text.indexOf(end) + end.length;
    const read = this.text.slice(0, at);
    this.text = this.text.slice(at);
    return read;
  }
}

describe("Live updates", () => {
  test("name new posts of the home timeline and notifications, and nothing of their content", async () => {
    await alice.post("/api/v2/filters", {
      title: "x",
      context: ["home"],
      filter_action: "hide",
      keywords_attributes: [{ keyword: "wasps", whole_word: true }],
    });
    const news = await News.open();
    await carol.publish("of someone else");
    await bob.publish("about wasps");
    const { id } = await bob.publish("a secret about birds");
    expect(await news.until(`data: ${id}\n\n`)).toBe(`\nevent: post\ndata: ${id}\n\n`);
    await carol.publish("@alice hello");
    const [{ id: notification }] = (await alice.get("/api/v1/notifications?limit=1")).json;
    expect(await news.until("\n\n")).toBe(`event: notification\ndata: ${notification}\n\n`);
  });

  test("begin with what is newer than the page", async () => {
    const [seen, missed] = [await bob.publish("seen"), await bob.publish("missed")];
    const news = new News(await request(`home=${seen.id}`));
    expect(await news.until(":)")).toBe(`event: post\ndata: ${missed.id}\n\n:)`);
  });

  test("are refused without a session, for another site, and beyond the limit of streams", async () => {
    expect((await request("", { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await request("", { cookie: "" })).status).toBe(403);
    await News.open();
    await News.open();
    expect((await request()).status).toBe(429);
  });

  inProcess("end within seconds after the session has ended", async () => {
    jest.useFakeTimers();
    const news = await News.open();
    jest.advanceTimersByTime(15_000);
    expect(await news.until(":thump")).toContain(":thump");
    await visitor.get("/settings/apps");
    await visitor.press("Sign out");
    jest.advanceTimersByTime(15_000);
    expect(await news.until("never")).not.toContain("event:");
  });
});

test("the script is at most 10 kB, and is only on the pages that need it", async () => {
  const { html, headers } = await visitor.get("/home");
  const [, path] = /<script type="module" src="(\/assets\/[^"]*)"/.exec(html)!;
  const asset = await fetch(server.origin + path);
  expect((await asset.bytes()).length).toBeLessThanOrEqual(10_000);
  expect(asset.headers.get("content-type")).toContain("text/javascript");
  expect(headers.get("content-security-policy")).toContain("script-src 'self'; connect-src 'self'");
  for (const other of ["/@alice", "/settings", "/search"]) {
    const page = await visitor.get(other);
    expect([other, page.html.includes("<script")]).toEqual([other, false]);
    expect(page.headers.get("content-security-policy")).not.toContain("script-src");
  }
});
