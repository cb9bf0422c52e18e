import { expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { serverForAllTests } from "../support/setup.ts";
import { Visitor } from "./visitor.ts";

/*
 * Arabic and Hebrew are written from right to left in pages from left to right. With `dir="auto"`, browsers detect the
 * direction.
 */

const { server, alice } = serverForAllTests(["alice"]);

const see = async (status: Json): Promise<string> => (await new Visitor(server).get(new URL(status.url).pathname)).html;

test("a post, its content warning and its poll options have their own direction and language", async () => {
  const status = await alice.publish({
    status: "مرحبا بالعالم",
    spoiler_text: "تحذير",
    language: "ar",
    poll: { options: ["نعم", "no"], expires_in: 3600 },
  });
  const html = await see(status);
  expect(html).toContain('<summary class="p-summary" lang="ar" dir="auto">تحذير</summary>');
  expect(html).toContain('<div class="prose content e-content" lang="ar" dir="auto"><p>مرحبا بالعالم</p></div>');
  for (const choice of ["نعم", "no"]) expect(html).toContain(`<span lang="ar" dir="auto">${choice}</span>`);
});

test("a quoted post has its own direction and language", async () => {
  const quoted = await alice.publish({ status: "שלום עולם", spoiler_text: "אזהרה", language: "he" });
  const html = await see(await alice.publish({ status: "look", language: "en", quoted_status_id: quoted.id }));
  const [, quote] = html.split("<blockquote") as [string, string];
  expect(quote).toContain('<summary class="p-summary" lang="he" dir="auto">אזהרה</summary>');
  expect(quote).toContain('<div class="prose content e-content" lang="he" dir="auto"><p>שלום עולם</p></div>');
});

test("the name, note and fields of a profile have their own direction", async () => {
  await alice.patch("/api/v1/accounts/update_credentials", {
    display_name: "عليسة",
    note: "أحب الطيور",
    fields_attributes: [{ name: "المدينة", value: "القاهرة" }],
  });
  const { html } = await new Visitor(server).get("/@alice");
  expect(html).toContain('<bdi class="p-name">عليسة</bdi></a></h1>');
  expect(html).toContain('<div class="prose content p-note" dir="auto"><p>أحب الطيور</p></div>');
  expect(html).toContain('<dt dir="auto">المدينة</dt><dd class="content" dir="auto">القاهرة</dd>');
  expect((await new Visitor(server).get("/")).html).toContain('<bdi class="p-name">عليسة</bdi>');
});
