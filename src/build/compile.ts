/*
 * `bun run build`: one executable for the system it is built on, in dist/linnet. It holds Bun, the program, its bytecode
 * and the image library; it needs neither Bun nor node_modules where it runs.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { BunPlugin } from "bun";
import type { NativeFile } from "./sharp-native.ts";

const ROOT = resolve(import.meta.dir, "../..");

interface Native {
  /** System and versions: what tells one set of files from another. */
  version: string;
  addon: string;
  libvips: string;
}

/**
 * The two packages with sharp's machine code for this system, as they lie in node_modules.
 *
 * @throws Error when sharp has none for this system, or they weren't installed.
 */
export function findNative(): Native {
  const sharp = createRequire(createRequire(join(ROOT, "package.json")).resolve("sharp"));
  // sharp's own words for the system, such as linux-x64, linuxmusl-arm64 or darwin-arm64.
  const platform: string = sharp("./libvips.cjs").runtimePlatformArch();
  const find = (name: string) => {
    try {
      return sharp.resolve(`${name}/package`);
    } catch {
      throw new Error(`${name} is not installed: run "bun install" on the system that you build for`);
    }
  };
  const addon = find(`@img/sharp-${platform}`);
  const libvips = find(`@img/sharp-libvips-${platform}`);
  return {
    version: [platform, sharp(addon).version, sharp(libvips).version].join("-"),
    addon: onlyFile(addon, /\.node$/),
    libvips: onlyFile(libvips, /^libvips-cpp\./),
  };
}

function onlyFile(packageJson: string, name: RegExp): string {
  const folder = join(dirname(packageJson), "lib");
  const [file, ...others] = readdirSync(folder).filter((entry) => name.test(entry));
  if (file === undefined || others.length > 0) throw new Error(`There should be one file like ${name} in ${folder}`);
  return join(folder, file);
}

/** Puts a module which loads the embedded files in the place of the one in which sharp searches node_modules. */
function embedSharp(native: Native): BunPlugin {
  return {
    name: "sharp in the executable",
    setup(build) {
      build.onResolve({ filter: /^\.\/sharp\.mjs$/ }, ({ importer }) =>
        importer.includes(join("sharp", "dist")) ? { path: "addon", namespace: "sharp-native" } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: "sharp-native" }, () => ({ contents: loader(native), loader: "js" }));
    },
  };
}

function loader(native: Native): string {
  const files = { version: native.version, addon: placed(native.addon), libvips: placed(native.libvips) };
  return `
    import addon from ${JSON.stringify(native.addon)} with { type: "file" };
    import libvips from ${JSON.stringify(native.libvips)} with { type: "file" };
    import { loadSharpAddon } from ${JSON.stringify(join(import.meta.dir, "sharp-native.ts"))};
    const files = ${JSON.stringify(files)};
    files.addon.embedded = addon;
    files.libvips.embedded = libvips;
    export default loadSharpAddon(files, process.env);
  `;
}

/** Where sharp-native.ts writes a file of a package: as in node_modules, whatever folder that is in. */
export function placed(file: string): Omit<NativeFile, "embedded"> {
  return { path: file.split(sep).slice(-5).join(sep), bytes: statSync(file).size };
}

/** Builds the executable `outfile` from the program that begins in `entry`, and says in a line what came of it. */
export async function compile(entry: string, outfile: string): Promise<string> {
  const started = performance.now();
  const native = findNative();
  await Bun.build({
    entrypoints: [entry],
    root: ROOT,
    target: "bun",
    format: "esm",
    // Three times as fast to start, and lines in the log that name our files: each costs about a megabyte.
    bytecode: true,
    sourcemap: "inline",
    // Not whitespace: Elysia reads the source of handlers and gets it wrong without. Not names: they are in the log.
    minify: { syntax: true, whitespace: false, identifiers: false },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    // A bunfig.toml that happens to lie where the server is started could make it run any code.
    compile: { outfile, autoloadBunfig: false },
    plugins: [embedSharp(native)],
  });
  // A copy of what is in the executable already.
  rmSync(`${outfile}.map`, { force: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const megabytes = (statSync(outfile).size / 1024 / 1024).toFixed(0);
  return `Built ${relative(process.cwd(), outfile)} (${megabytes} MB, with ${native.version}) in ${seconds} s`;
}

if (import.meta.main) {
  try {
    console.log(await compile(join(ROOT, "src", "main.ts"), join(ROOT, "dist", "linnet")));
  } catch (error) {
    // What the bundler finds is shown with its place in the source; our own errors say it all in a sentence.
    const problem = error instanceof AggregateError ? Bun.inspect(error) : (error as Error).message;
    console.error(`Build failed: ${problem}`);
    process.exit(1);
  }
}
