import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { compile, findNative, placed } from "../../src/build/compile.ts";
import { assertPrivate, cacheFolders, keepFiles, type NativeFiles } from "../../src/build/sharp-native.ts";
import { picture } from "../fixtures/pictures.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "linnet-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("The image library in the executable", () => {
  test("decodes images without node_modules", async () => {
    const program = join(folder, "program");
    await compile(join(import.meta.dir, "../fixtures/image-program.ts"), program);
    const home = join(folder, "home");
    mkdirSync(home, { mode: 0o700 });
    const run = async (env: Record<string, string>) => {
      const stdin = await picture(900, 600).jpeg().withMetadata({ orientation: 6 }).toBuffer();
      const process = Bun.spawn([program], { cwd: folder, env, stdin, stdout: "pipe", stderr: "pipe" });
      return (await new Response(process.stdout).text()) + (await new Response(process.stderr).text());
    };
    // The first run writes the files, the second finds them, and the third has no home directory.
    expect(await run({ HOME: home })).toBe("image/jpeg 600x900\n");
    expect(readdirSync(join(home, ".cache", "linnet"))).toHaveLength(1);
    expect(await run({ HOME: home })).toBe("image/jpeg 600x900\n");
    expect(await run({ HOME: join(folder, "gone"), TMPDIR: folder })).toBe("image/jpeg 600x900\n");
    expect(readdirSync(folder).sort()).toEqual(["home", "program"]);
  });

  test("searches only its own folder for libvips", () => {
    const addon = placed(findNative().addon);
    const searched = readFileSync(findNative().addon, "latin1").match(/(?:\$ORIGIN|@loader_path)[^\0:]*/g);
    expect(searched).not.toBeNull();
    for (const path of searched!) {
      // The files are in base/version/; `base` is the innermost folder whose permissions were checked.
      const from = join("/base/version", dirname(addon.path));
      const found = resolve(from, path.replace(/^(\$ORIGIN|@loader_path)\/?/, "./"));
      expect(relative("/base", found)).not.toStartWith("..");
    }
  });
});

describe("The folder of the image library", () => {
  test("is in the data folder if that exists, else in the user's cache, and creates neither", () => {
    const data = join(folder, "data");
    const cache = join(folder, "cache");
    const environment = { LINNET_DATA: data, XDG_CACHE_HOME: cache };
    expect(cacheFolders(environment)).toEqual([join(cache, "linnet")]);
    mkdirSync(data);
    expect(cacheFolders(environment)).toEqual([join(data, "cache", "native"), join(cache, "linnet")]);
    expect(cacheFolders({ LINNET_DATA: data, XDG_CACHE_HOME: join(folder, "gone", "cache") })).toHaveLength(1);
    expect(cacheFolders({}).at(-1)).toStartWith(homedir());
  });

  test("is refused if others can write to it or replace it", () => {
    const inner = join(folder, "above", "inner");
    mkdirSync(inner, { recursive: true, mode: 0o700 });
    expect(() => assertPrivate(inner)).not.toThrow();
    chmodSync(inner, 0o770);
    expect(() => assertPrivate(inner)).toThrow("Others can write to this folder");
    chmodSync(inner, 0o1777);
    expect(() => assertPrivate(inner)).toThrow("Others can write to this folder");
    chmodSync(inner, 0o700);
    chmodSync(dirname(inner), 0o777);
    expect(() => assertPrivate(inner)).toThrow(`Others can write to ${dirname(inner)}`);
    chmodSync(dirname(inner), 0o1777);
    expect(() => assertPrivate(inner)).not.toThrow();
  });
});

describe("The files of the image library", () => {
  function nativeFiles(version: string): NativeFiles {
    const embedded = join(folder, "embedded");
    writeFileSync(embedded, "machine code");
    const file = (name: string) => ({ embedded, path: join("node_modules", name), bytes: 12 });
    return { version, addon: file("addon.node"), libvips: file("libvips.so") };
  }

  test("are written once, and again if they are damaged", () => {
    const base = join(folder, "base");
    mkdirSync(base);
    const files = nativeFiles("1");
    const kept = keepFiles(base, files);
    expect(readFileSync(join(kept, files.addon.path), "utf8")).toBe("machine code");
    rmSync(files.addon.embedded);
    expect(keepFiles(base, files)).toBe(kept);
    nativeFiles("1");
    for (const damage of ["", "machine", "machine code and more"]) {
      writeFileSync(join(kept, files.libvips.path), damage);
      keepFiles(base, files);
      expect(readFileSync(join(kept, files.libvips.path), "utf8")).toBe("machine code");
    }
  });

  test("are replaced if one is a link to another file", () => {
    const base = join(folder, "base");
    mkdirSync(base);
    const files = nativeFiles("1");
    const addon = join(keepFiles(base, files), files.addon.path);
    rmSync(addon);
    symlinkSync(files.addon.embedded, addon);
    keepFiles(base, files);
    rmSync(files.addon.embedded);
    expect(readFileSync(addon, "utf8")).toBe("machine code");
  });

  test("of older versions are deleted, and nothing else", () => {
    const base = join(folder, "base");
    mkdirSync(base);
    const old = keepFiles(base, nativeFiles("1"));
    writeFileSync(join(base, "notes.txt"), "");
    const current = keepFiles(base, nativeFiles("2"));
    expect(existsSync(old)).toBe(false);
    expect(readdirSync(base).sort()).toEqual(["notes.txt", relative(base, current)]);
  });
});
