import { expect, test } from "bun:test";
import { serverForAllTests } from "../support/setup.ts";
import { uploaded } from "../support/uploads.ts";

const { server, alice } = serverForAllTests(["alice"]);

test("A HEAD request gets the same status and headers as GET, without a body and with a date", async () => {
  const media = await uploaded(alice);
  const { id } = await alice.publish({ status: "hello #cats", media_ids: [media.id] });
  for (const path of [
    "/",
    "/@alice",
    "/health",
    "/no/such/page",
    "/avatars/original/missing.png",
    new URL(media.url).pathname,
    "/api/v2/instance",
    "/api/v1/timelines/tag/cats",
    "/api/v1/timelines/home",
    `/api/v1/statuses/${id}`,
    "/api/v1/statuses/1",
    "/api/v1/no_such_method",
  ]) {
    const [head, get] = await Promise.all(
      ["HEAD", "GET"].map((method) => fetch(server.origin + path, { method, redirect: "manual" })),
    );
    expect([path, head!.status, head!.headers.get("content-type"), await head!.text()]).toEqual([
      path,
      get!.status,
      get!.headers.get("content-type"),
      "",
    ]);
    const date = head!.headers.get("date");
    expect([path, date]).toEqual([path, new Date(server.clock.now()).toUTCString()]);
  }
});
