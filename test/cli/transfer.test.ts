import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Folder } from "./folder.ts";

/** Each test starts programs, possibly on a busy machine. */
setDefaultTimeout(60_000);

let folder: Folder;

beforeAll(async () => {
  folder = Folder.begun({ LINNET_RATE_LIMITS: "off", LINNET_URL: "https://linnet.test" });
  await folder.createUser("alice");
  await folder.createUser("bob");
});
afterAll(() => folder.remove());

test("linnet import csv stores a file, whose rows the server imports, and linnet export csv prints it", async () => {
  const file = join(folder.path, "blocks.csv");
  writeFileSync(file, "bob@linnet.test\r\nnobody@linnet.test\r\n");
  const import_ = ["import", "csv", file, "--user", "alice"];
  expect(await folder.run([...import_, "--kind", "lists"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The file contains something else than you chose."),
  });
  expect(await folder.run([...import_, "--replace"])).toEqual({
    code: 0,
    stderr: "",
    stdout: "Import 1 has 2 rows of blocks. The server imports them now, or at its next start.\n",
  });
  expect(await folder.json("import", "list", "--user", "alice")).toMatchObject([
    { id: "1", kind: "blocks", mode: "replace", state: "running", file_name: "blocks.csv", total: 2, done: 0 },
  ]);
  const served = await folder.serve();
  for (;;) {
    const [{ state }] = await folder.json("import", "list", "--user", "alice");
    if (state === "finished") break;
  }
  await served.stop();
  expect(await folder.json("import", "list", "--user", "alice")).toMatchObject([{ done: 1, failed: 1 }]);
  expect(await folder.run(["import", "failures", "1", "--user", "alice"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Account address,Reason\nnobody@linnet\.test,"?No account is found/),
  });
  expect(await folder.run(["export", "csv", "blocks", "--user", "alice"])).toEqual({
    code: 0,
    stderr: "",
    stdout: "bob@linnet.test\n",
  });
  expect(await folder.run(["import", "cancel", "1", "--user", "alice"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("Import 1 has ended already."),
  });
});
