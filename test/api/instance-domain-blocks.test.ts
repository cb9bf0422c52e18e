import { afterEach, expect, test } from "bun:test";
import { setDomainBlock } from "../../src/core/moderation/domain-blocks.ts";
import { Client, type Json } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { expectShape } from "../support/shape.ts";

let server: TestServer;

afterEach(() => server.stop());

const PATH = "/api/v1/instance/domain_blocks";

type Audience = "all" | "users" | "disabled";

async function start(list?: Audience, reasons?: Audience): Promise<void> {
  server = await startServer({
    ...(list && { LINNET_SHOW_DOMAIN_BLOCKS: list }),
    ...(reasons && { LINNET_SHOW_DOMAIN_BLOCKS_RATIONALE: reasons }),
  });
  const { ctx } = server;
  setDomainBlock(ctx, "worst.example", { severity: "suspend", publicComment: "Third-party bots", privateComment: "!" });
  setDomainBlock(ctx, "bad.example", { severity: "suspend", obfuscate: true });
  setDomainBlock(ctx, "loud.example", { severity: "silence" });
  setDomainBlock(ctx, "watched.example", { severity: "noop" });
}

test("The list of blocked domains has the milder severities first, with a hash of each domain, which may be obfuscated", async () => {
  await start("all");
  const { status, json } = await server.stranger().get(PATH);
  expect(status).toBe(200);
  expectShape(json, ["DomainBlock"]);
  expect(json).toEqual([
    {
      domain: "loud.example",
      digest: "354b62204d7066cbec71a6a692bdad3f8ef6369bbac0401f8a2f7e75ee91ae9d",
      severity: "silence",
    },
    { domain: "bad.*****le", digest: expect.stringMatching(/^[0-9a-f]{64}$/), severity: "suspend" },
    { domain: "worst.example", digest: expect.stringMatching(/^[0-9a-f]{64}$/), severity: "suspend" },
  ]);
});

test.each([
  ["all", "all", [200, true], [200, true]],
  ["all", "users", [200, false], [200, true]],
  ["all", "disabled", [200, false], [200, false]],
  ["users", "all", [401, false], [200, true]],
  ["users", "users", [401, false], [200, true]],
  ["users", "disabled", [401, false], [200, false]],
  ["disabled", "all", [404, false], [404, false]],
  [undefined, undefined, [404, false], [404, false]],
] as const)("With %s and reasons for %s a stranger gets %j, and a user %j", async (list, reasons, stranger, user) => {
  await start(list, reasons);
  const alice = await server.person("alice");
  const seen = async (who: Client): Promise<Json> => {
    const { status, json } = await who.get(PATH);
    return [status, status === 200 && json.some((block: Json) => block.comment === "Third-party bots")];
  };
  expect([await seen(server.stranger()), await seen(alice)]).toEqual([[...stranger], [...user]]);
});

test("A disabled list is answered with an empty 404", async () => {
  await start("disabled");
  const { status, json } = await server.stranger().get(PATH);
  expect([status, json]).toEqual([404, ""]);
});

test("A list for users is refused to tokens without a user and to unknown tokens", async () => {
  await start("users", "all");
  for (const token of [null, "unknown", server.token(null, "read")]) {
    const { status, json } = await new Client(server.origin, token).get(PATH);
    expect([status, json]).toEqual([401, { error: "The access token is invalid" }]);
  }
});

test("A block without a reason has an empty comment", async () => {
  await start("all", "all");
  const { json } = await server.stranger().get(PATH);
  expect(json.map((block: Json) => block.comment)).toEqual(["", "", "Third-party bots"]);
});
