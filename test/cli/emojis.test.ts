import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { animation, picture } from "../fixtures/pictures.ts";
import { Client, type Json } from "../support/client.ts";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(async () => {
  folder = Folder.begun();
  mkdirSync(join(folder.path, "pack"));
  await put("blob.png", await picture(20, 20).png().toBuffer());
  await put("dancer.gif", await (await animation(3)).gif().toBuffer());
});
afterEach(() => folder.remove());

async function put(name: string, bytes: Uint8Array | string): Promise<void> {
  await Bun.write(join(folder.path, "pack", name), bytes);
}

async function emoji(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await folder.run(["emoji", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

test("a running server shows an added emoji at once, and a removed one no longer", async () => {
  const { origin } = await folder.serve();
  await folder.createUser("alice");
  const token = (await folder.run(["token", "create", "alice", "--scopes", "read write"])).stdout.trim();
  const alice = new Client(origin, token);
  const { id } = await alice.publish("a :blob:");
  const shown = async () => (await alice.get(`/api/v1/statuses/${id}`)).json.emojis.map((it: Json) => it.shortcode);
  expect(await shown()).toEqual([]);
  expect(await emoji("add", "blob", "pack/blob.png", "--category", "Blobs")).toBe("Added :blob:.\n");
  expect(await shown()).toEqual(["blob"]);
  const [{ url, category }] = (await alice.get("/api/v1/custom_emojis")).json;
  const picture = await fetch(new URL(new URL(url).pathname, origin));
  expect([category, picture.status, picture.headers.get("content-type")]).toEqual(["Blobs", 200, "image/png"]);
  expect(await emoji("remove", "blob", "--yes")).toBe("Removed :blob:.\n");
  expect(await shown()).toEqual([]);
});

test("emoji are listed by name with their category, and adding one again replaces it", async () => {
  expect(await emoji("list")).toBe("There are no custom emoji.\n");
  await emoji("add", "zebra", "pack/blob.png", "--hidden");
  await emoji("add", "blob", "pack/blob.png", "--category", "Blobs");
  expect(await emoji("list")).toBe(
    ["SHORTCODE  IN PICKER  CATEGORY", "blob       yes        Blobs", "zebra      no         -\n"].join("\n"),
  );
  expect(await emoji("add", "zebra", "pack/dancer.gif")).toBe("Replaced :zebra:.\n");
  expect(await folder.json("emoji", "list")).toEqual([
    { shortcode: "blob", visible_in_picker: true, category: "Blobs" },
    { shortcode: "zebra", visible_in_picker: true, category: null },
  ]);
});

test("an imported folder gives each emoji its file name, and hidden files are skipped", async () => {
  await put(".DS_Store", "nonsense");
  mkdirSync(join(folder.path, "pack", "more"));
  expect(await emoji("import", "pack", "--category", "Pack")).toBe("Added 2 and replaced 0 emoji.\n");
  await put("cat.png", await picture(20, 20).png().toBuffer());
  expect(await emoji("import", "pack", "--category", "Pack", "--hidden")).toBe("Added 1 and replaced 2 emoji.\n");
  const hidden = { visible_in_picker: false, category: "Pack" };
  expect(await folder.json("emoji", "list")).toEqual(
    ["blob", "cat", "dancer"].map((shortcode) => ({ shortcode, ...hidden })),
  );
});

test("an import adds valid emoji, reports unusable images and counts other files", async () => {
  await put("README.txt", "read me");
  await put("empty.png", "");
  await put("photo.jpg", await picture(20, 20).jpeg().toBuffer());
  await put("blob-cat.png", await picture(20, 20).png().toBuffer());
  await put("huge.png", Buffer.concat([await picture(20, 20).png().toBuffer(), Buffer.alloc(300 * 1024)]));
  const { code, stdout, stderr } = await folder.run(["emoji", "import", "pack"]);
  expect([code, stdout]).toEqual([1, "Added 2 and replaced 0 emoji. Skipped 2 other files.\n"]);
  expect(stderr.trimEnd().split("\n")).toEqual([
    expect.stringContaining('blob-cat.png: "blob-cat" is not a valid shortcode'),
    "huge.png: The picture is too large. The limit for emoji is 256 KB.",
    "photo.jpg: The file is not a PNG, GIF or WebP picture.",
    "linnet: 3 of 5 pictures could not be added.",
  ]);
  expect((await folder.json("emoji", "list")).map(({ shortcode }: Json) => shortcode)).toEqual(["blob", "dancer"]);
});

test("a file that is not an image doesn't make an import fail", async () => {
  await put("LICENSE", "Use it.");
  expect(await emoji("import", "pack")).toBe("Added 2 and replaced 0 emoji. Skipped 1 other file.\n");
});

test.each([
  [["add", "blob", "pack/none.png"], 'linnet: There is no file "pack/none.png".'],
  [["add", "blob", "pack"], 'linnet: "pack" is a folder. Name a file.'],
  [["add", "b", "pack/blob.png"], "is not a valid shortcode"],
  [["add", "blob", "pack/blob.png", "--category", "x".repeat(101)], "too long"],
  [["import", "nowhere"], 'linnet: There is no folder "nowhere".'],
  [["import", "pack/blob.png"], 'linnet: "pack/blob.png" is a file. Name a folder.'],
  [["remove", "nobody", "--yes"], 'no emoji called "nobody"'],
])("linnet emoji %j fails with a one-line reason", async (args, words) => {
  const { code, stdout, stderr } = await folder.run(["emoji", ...args]);
  expect([code, stdout, stderr.trimEnd().split("\n")]).toEqual([1, "", [expect.stringContaining(words)]]);
  expect(await folder.json("emoji", "list")).toEqual([]);
});
