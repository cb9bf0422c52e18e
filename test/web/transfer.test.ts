import { beforeEach, describe, expect, test } from "bun:test";
import { Transfer } from "../support/imports.ts";
import { neighboursForEachTest } from "../support/federation.ts";
import { rawRequest } from "../support/raw.ts";
import { Visitor } from "./visitor.ts";

/* The pages with which users take their lists and followers along. */

const { alice, bob, drain, befriend, advance } = neighboursForEachTest(["alice", "bob"]);
let visitor: Visitor;

beforeEach(async () => {
  visitor = new Visitor(alice, { "accept-language": "en" });
  await visitor.signIn("alice");
});

const IMPORT = "/settings/import";
const file = (text: string, name = "file.csv") => new File([text], name);

describe("The page for imports", () => {
  test("imports a file, shows the progress and hands out what failed", async () => {
    await visitor.get(IMPORT);
    const rows = [bob.handle, `nobody@${alice.server.ctx.config.handleDomain}`, ...Array(30).fill(bob.handle)];
    const sent = await visitor.press("Import", { file: file(["Account address,Show boosts", ...rows].join("\n")) });
    expect(sent).toMatchObject({ status: 303, location: `${IMPORT}#imports` });
    expect((await visitor.get(IMPORT)).text).toContain("Follows (running) file.csv, 21 Nov 2026 Cancel 0 of 32 done");
    await alice.server.drain();
    const shown = await visitor.get(IMPORT);
    expect(shown.text).toContain("19 of 32 done · 1 failed");
    expect(shown.html).toContain('<progress max="32" value="20"');
    await new Transfer(() => alice.server, alice).finish();
    const done = await visitor.get(IMPORT);
    expect(done.text).toContain("Follows (finished) file.csv, 21 Nov 2026 31 of 32 done · 1 failed");
    expect(done.text).not.toContain("Show the progress");
    const [, path] = /href="([^"]*failures\.csv)"/.exec(done.html)!;
    const german = new Visitor(alice, { "accept-language": "de" });
    for (const [name, value] of visitor.cookies) german.cookies.set(name, value);
    const failures = await german.get(path!);
    expect(failures.headers.get("content-disposition")).toBe('attachment; filename="following_accounts_failures.csv"');
    expect(failures.headers.get("cache-control")).toBe("no-store");
    expect(failures.html).toStartWith("Account address,Show boosts,Notify on new posts,Languages,Reason\nnobody@");
    expect(failures.html).toContain("ist kein Konto zu finden");
    await alice.server.person("carol");
    const other = new Visitor(alice);
    await other.signIn("carol");
    expect((await other.get(path!)).status).toBe(404);
    await other.get(IMPORT);
    expect((await other.post(`${IMPORT}/cancel`, { id: "1", csrf: "x" })).status).toBe(403);
  });

  test("says what is wrong with a file beside the field, keeps the choices, and imports nothing", async () => {
    await visitor.get(IMPORT);
    const wrong = { kind: "mutes", mode: "replace" };
    const missing = await visitor.press("Import", wrong);
    expect([missing.status, missing.text]).toEqual([422, expect.stringContaining("Choose a file.")]);
    expect(missing.html).toContain('<option value="mutes" selected');
    expect(missing.forms.find(({ action }) => action === IMPORT)!.fields).toMatchObject(wrong);
    const lines = await visitor.press("Import", { ...wrong, file: file("#domain\nspam.test\n".repeat(700_000)) });
    expect([lines.status, lines.text]).toEqual([422, expect.stringContaining("The file is too large")]);
    const picture = await visitor.press("Import", { file: file("\x89PNG\r\n\x1a\n\0\0") });
    expect(picture.text).toContain("This is no file of Mastodon's export");
    expect(picture.html).toContain('aria-invalid="true"');
    for (const start of [
      [0x50, 0x4b, 3, 4],
      [0x1f, 0x8b, 8, 0],
    ]) {
      const archive = new File([new Uint8Array(start)], "archive");
      const { status, html } = await visitor.press("Import", { file: archive });
      expect([status, html]).toEqual([
        422,
        expect.stringMatching(/This is an archive.*<a href="#archive">.*id="archive"/s),
      ]);
    }
    expect(picture.text).toContain("You have imported nothing");
  });

  test("says beside the field that a file is too large, without reading it, and leads to the form for archives", async () => {
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = [
      `POST ${IMPORT} HTTP/1.1`,
      `Cookie: ${cookie}`,
      "Sec-Fetch-Site: same-origin",
      "Content-Type: multipart/form-data; boundary=x",
      "Content-Length: 120000000",
    ];
    const response = await rawRequest(alice.server.origin, `${headers.join("\r\n")}\r\n\r\n`);
    expect(response).toStartWith("HTTP/1.1 413");
    expect(response).toMatch(/too large for a list. If it is an archive[^<]*<a href="#archive">/);
  });

  test("cancels an import, and replaces only if asked to", async () => {
    await alice.act("follow", bob);
    await visitor.get(IMPORT);
    const many = ["#domain", ...Array.from({ length: 40 }, (_, at) => `spam${at}.test`)].join("\n");
    await visitor.press("Import", { file: file(many) });
    await alice.server.drain();
    await visitor.get(IMPORT);
    await visitor.press("Cancel");
    expect((await visitor.get(IMPORT)).text).toContain("Blocked servers (cancelled)");
    advance(100);
    await drain();
    expect((await visitor.get(IMPORT)).text).toContain("20 of 40 done");
    await visitor.press("Import", { file: file("other.test"), mode: "replace" });
    await new Transfer(() => alice.server, alice).finish();
    expect((await alice.get("/api/v1/domain_blocks?limit=200")).json).toEqual(["other.test"]);
    expect((await visitor.get(IMPORT)).text).toContain("Blocked servers (finished, replacing)");
  });
});

test("The page for exports has a file of each kind, for the user alone", async () => {
  await befriend(alice, bob);
  const page = await visitor.get("/settings/export");
  expect(page.text).toContain("Follows 1 row Download Lists 0 rows Download");
  const paths = [...page.html.matchAll(/href="(\/settings\/export\/[^"]+)"/g)].map(([, path]) => path!);
  expect(paths).toHaveLength(7);
  for (const path of paths) {
    const { status, headers } = await visitor.get(path);
    const disposition = headers.get("content-disposition");
    expect([status, disposition]).toEqual([200, `attachment; filename="${path.slice("/settings/export/".length)}"`]);
    expect((await new Visitor(alice).get(path)).text).toContain("Sign in");
  }
  expect((await visitor.get(paths[0]!)).html).toContain(`${bob.handle},true,false,\n`);
});

describe("The page for moves", () => {
  const MIGRATION = "/settings/migration";
  const check = async (to: string) => {
    await visitor.get(MIGRATION);
    return visitor.press("Check what is missing", { to });
  };

  test("adds and removes aliases, and says which account it doesn't find", async () => {
    await visitor.get(MIGRATION);
    const unknown = await visitor.press("Add", { alias: "@nobody@nowhere.test" });
    expect([unknown.status, unknown.text]).toEqual([422, expect.stringContaining("No account has this handle.")]);
    expect(unknown.forms.find(({ action }) => action.endsWith("add-alias"))!.fields["alias"]).toBe(
      "@nobody@nowhere.test",
    );
    expect((await visitor.press("Add", { alias: bob.handle })).location).toBe(MIGRATION);
    expect((await visitor.follow()).text).toContain(`These accounts may move here @${bob.handle} Remove`);
    expect((await alice.get("/api/v1/linnet/aliases")).json).toHaveLength(1);
    await visitor.press("Remove");
    expect((await visitor.follow()).text).not.toContain(`@${bob.handle}`);
  });

  test("lists what is missing for a move, moves with the password, and shows the state until it is cancelled", async () => {
    expect((await check("@alice")).text).toContain("This is the account itself: name another one.");
    const missing = await check(bob.handle);
    expect(missing.text).toContain(`Done: The server of @${bob.handle} responds Done: @${bob.handle} is in use`);
    expect(missing.text).toContain(`Missing: @${bob.handle} names @${alice.handle} as an alias`);
    expect(missing.text).toContain("Done: You have not moved in the last 30 days");
    expect(missing.text).not.toContain(`Move to @${bob.handle}`);
    await bob.post("/api/v1/linnet/aliases", { acct: alice.handle });
    const ready = await check(bob.handle);
    expect(ready.text).not.toContain("Missing");
    advance(15 * 60_000);
    const asked = await visitor.press(`Move to @${bob.handle}`);
    expect([asked.status, asked.text]).toEqual([403, expect.stringContaining("Is it still you?")]);
    expect((await visitor.press("Continue", { proof: "wrong" })).status).toBe(422);
    expect((await alice.get("/api/v1/accounts/verify_credentials")).json.moved).toBeFalsy();
    expect((await visitor.press("Continue", { proof: "correct horse" })).location).toBe(MIGRATION);
    const moved = await visitor.follow();
    expect(moved.text).toContain(`Your account has moved to @${bob.handle}`);
    expect(moved.text).not.toContain("Check what is missing");
    await visitor.press("Cancel the move");
    expect((await visitor.follow()).text).toContain(
      "Missing: You have not moved in the last 30 days You can move again after 21 December 2026.",
    );
    expect((await check(bob.handle)).text).not.toContain(`Move to @${bob.handle}`);
    advance(30 * 24 * 3600_000);
    await visitor.signIn("alice");
    expect((await check(bob.handle)).text).toContain(`Move to @${bob.handle}`);
  });

  test("keeps what was typed when the other server goes down, and says so beside it", async () => {
    await bob.post("/api/v1/linnet/aliases", { acct: alice.handle });
    await check(bob.handle);
    const { fields } = visitor.formTo(`${MIGRATION}/move`);
    await bob.server.kill();
    const refused = await visitor.post(`${MIGRATION}/move`, fields);
    expect(refused.status).toBe(503);
    expect(refused.html).toMatch(/id="to-about" role="alert">The server of [^<]* does not respond/);
    expect(refused.forms.find(({ action }) => action.endsWith("check"))!.fields["to"]).toContain(bob.handle);
    await bob.server.revive();
  });
});
