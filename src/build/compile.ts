/*
 * `bun run build`: builds one executable for the current system, dist/linnet. It contains Bun, the program, its
 * bytecode and the image library, and needs neither Bun nor node_modules at run time.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { BunPlugin } from "bun";
import type { NativeFile } from "./sharp-native.ts";

const ROOT = resolve(import.meta.dir, "../..");

interface Native {
  /** Platform and versions. Identifies this set of files. */
  version: string;
  addon: string;
  libvips: string;
}

/**
 * Finds the two packages in node_modules that contain sharp's native code for this platform.
 *
 * @throws Error if sharp does not support the platform, or the packages are not installed.
 */
export function findNative(): Native {
  const sharp = createRequire(createRequire(join(ROOT, "package.json")).resolve("sharp"));
  // sharp's name for the platform, such as linux-x64, linuxmusl-arm64 or darwin-arm64.
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

/** Replaces the module in which sharp searches node_modules with one that loads the embedded files. */
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

/** The relative path, from `node_modules` on, at which sharp-native.ts writes a package's file, and its size. */
export function placed(file: string): Omit<NativeFile, "embedded"> {
  return { path: file.split(sep).slice(-5).join(sep), bytes: statSync(file).size };
}

/** Builds the executable `outfile` from the entry point `entry`. Returns a summary in one line. */
export async function compile(entry: string, outfile: string): Promise<string> {
  const started = performance.now();
  const native = findNative();
  await Bun.build({
    entrypoints: [entry],
    root: ROOT,
    target: "bun",
    format: "esm",
    // Bytecode makes the start three times as fast; source maps make logged stacks name our files. Each costs 1 MB.
    bytecode: true,
    sourcemap: "inline",
    // Keep whitespace: Elysia parses the source of handlers and misreads it without. Keep names: they are in the log.
    minify: { syntax: true, whitespace: false, identifiers: false },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    // A bunfig.toml in the working directory could make the server run arbitrary code.
    compile: { outfile, autoloadBunfig: false },
    plugins: [embedSharp(native)],
  });
  // The executable already contains it.
  rmSync(`${outfile}.map`, { force: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const megabytes = (statSync(outfile).size / 1024 / 1024).toFixed(0);
  return `Built ${relative(process.cwd(), outfile)} (${megabytes} MB, with ${native.version}) in ${seconds} s`;
}

if (import.meta.main) {
  try {
    console.log(await compile(join(ROOT, "src", "main.ts"), join(ROOT, "dist", "linnet")));
  } catch (error) {
    // Print the bundler's errors with their position in the source. Our own errors need only their message.
    const problem = error instanceof AggregateError ? Bun.inspect(error) : (error as Error).message;
    console.error(`Build failed: ${problem}`);
    process.exit(1);
  }
}
