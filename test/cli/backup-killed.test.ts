import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { addUpload, backupsIn, begin, expectWhole, filesIn, manifestOf } from "./backups.ts";
import { Folder } from "./folder.ts";

const UPLOADS = 150;
/** The number of kills that must interrupt the command. */
const KILLS = 5;
const MAX_ATTEMPTS = 60;
/** The longest time from the first write to the kill, in milliseconds: about as long as the whole command. */
const DELAY = 400;
const TIMEOUT = 90_000;

let folder: Folder;
let backups: string;
let data: string;

beforeEach(async () => {
  folder = new Folder();
  backups = join(folder.path, "backups");
  data = await begin(folder);
  for (let n = 0; n < UPLOADS; n += 1) addUpload(data, `${n % 20}x${n}`.padStart(8, "u"), "x".repeat(n * 200));
}, TIMEOUT);
afterEach(() => folder.remove());

/**
 * Starts a command repeatedly, and kills it at a random moment until enough kills have interrupted it. `isUnfinished`
 * says whether a kill interrupted the command. `check` is called after each kill with this result.
 */
async function kill(
  args: string[],
  settings: Record<string, string>,
  isUnfinished: () => boolean,
  check: (wasUnfinished: boolean) => void | Promise<void>,
): Promise<void> {
  let kills = 0;
  for (let attempt = 1; kills < KILLS; attempt += 1) {
    if (attempt > MAX_ATTEMPTS) throw new Error("The command is done before it can be killed");
    const child = folder.start(args, settings);
    while (!isUnfinished() && child.exitCode === null) await Bun.sleep(1);
    // Fast machines need shorter delays.
    await Bun.sleep((Math.random() * DELAY) / attempt);
    child.kill("SIGKILL");
    await child.exited;
    const wasUnfinished = isUnfinished();
    if (wasUnfinished) kills += 1;
    await check(wasUnfinished);
  }
}

const unfinished = (): string[] =>
  (existsSync(backups) ? readdirSync(backups) : []).filter((name) => /unfin/.test(name));

test(
  "a killed backup never looks complete, and the next backup removes its remains",
  async () => {
    let left: string[] = [];
    const isUnfinished = () => unfinished().some((name) => !left.includes(name));
    await kill(["backup", "backups", "--keep", "1"], {}, isUnfinished, () => {
      left = unfinished();
      for (const backup of backupsIn(backups)) expectWhole(backup);
    });
    const { code, stderr } = await folder.run(["backup", "backups", "--keep", "1"]);
    expect([code, stderr, unfinished()]).toEqual([0, "", []]);
    expect(backupsIn(backups)).toHaveLength(1);
    expectWhole(backupsIn(backups)[0]!);
  },
  TIMEOUT,
);

test(
  "after a killed restore the server refuses the folder, and another restore completes it",
  async () => {
    await folder.run(["backup", "backups"]);
    const settings = { LINNET_DATA: "restored" };
    const restored = join(folder.path, "restored");
    const mark = join(restored, "restore.unfinished");
    await kill(
      ["restore", "backups"],
      settings,
      () => existsSync(mark),
      async (wasUnfinished) => {
        if (!wasUnfinished) return rmSync(restored, { recursive: true, force: true });
        for (const args of [["serve"], ["user", "list"], ["backup", "others"]]) {
          const { code, stderr } = await folder.run(args, { settings });
          expect([code, stderr]).toEqual([1, expect.stringContaining('Run "linnet restore" again')]);
        }
      },
    );
    expect((await folder.run(["restore", "backups"], { settings })).code).toBe(0);
    const { files } = manifestOf(backupsIn(backups)[0]!);
    expect(filesIn(restored).filter((path) => !path.endsWith(".lock"))).toEqual(Object.keys(files).sort());
    expect((await folder.run(["user", "list"], { settings })).stdout).toMatch(/^alice /m);
  },
  TIMEOUT,
);
