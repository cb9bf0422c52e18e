import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { picture } from "../fixtures/pictures.ts";
import { Folder } from "./folder.ts";

/** Each test starts several programs. */
setDefaultTimeout(30_000);

let folder: Folder;

beforeEach(async () => {
  folder = Folder.begun();
  await Bun.write(join(folder.path, "slope.png"), await picture(90, 60).png().toBuffer());
  await Bun.write(join(folder.path, "text.txt"), "text");
  await Bun.write(join(folder.path, "broken.png"), (await picture(90, 60).png().toBuffer()).subarray(0, 30));
});
afterEach(() => folder.remove());

test("the owner sets and removes the images of a running server", async () => {
  const { origin } = await folder.serve();
  const thumbnail = async () => {
    const json = (await (await fetch(`${origin}/api/v2/instance`)).json()) as Record<string, { url: string }>;
    return json["thumbnail"]!.url;
  };
  const before = await thumbnail();
  const set = await folder.run(["picture", "set", "thumbnail", "slope.png", "--description", "A slope"]);
  expect(set).toEqual({ code: 0, stdout: "Set the thumbnail.\n", stderr: "" });
  const path = new URL(await thumbnail()).pathname;
  expect(path).toMatch(/^\/media\/site\//);
  expect((await fetch(origin + path)).headers.get("content-type")).toBe("image/jpeg");
  expect((await folder.run(["picture", "remove", "thumbnail", "--yes"])).code).toBe(0);
  expect(await thumbnail()).toBe(before);
});

test.each([
  [["picture", "set", "banner", "slope.png"], 2, 'NAME is "banner", but should be one of thumbnail, icon'],
  [["picture", "set", "icon", "slope.png", "--description", "A slope"], 2, "--description is only for the thumbnail"],
  [["picture", "set", "icon", "nowhere.png"], 1, 'There is no file "nowhere.png"'],
  [["picture", "set", "icon", "text.txt"], 1, '"text.txt" is not a picture'],
  [["picture", "set", "icon", "broken.png"], 1, '"broken.png" is damaged'],
])("linnet %j fails with a reason", async (args, exit, words) => {
  const { code, stdout, stderr } = await folder.run(args);
  expect([code, stdout, stderr.split("\n")[0]]).toEqual([exit, "", expect.stringContaining(words)]);
});
