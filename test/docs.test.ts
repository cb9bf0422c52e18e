import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "bun:test";
import packageJson from "../package.json";

const ROOT = join(import.meta.dir, "..");

const pages = ["", "docs"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

/** The text of a page without its code blocks. */
function proseOf(page: string): string {
  return readFileSync(join(ROOT, page), "utf8").replace(/^ *```[^]*?^ *```$/gm, "");
}

/** The anchors that GitHub gives the headings of a page. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function leadsNowhere(page: string, link: string): boolean {
  const [path, anchor] = link.split("#") as [string, string?];
  const target = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
  return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
}

describe("The documentation", () => {
  test("links only to existing files and headings", () => {
    const links = pages.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\(([^)\s]+)\)|\bsrc="([^"]+)"/g)]
        .map(([, link, source]) => ({ page, link: link ?? source! }))
        .filter(({ link }) => !/^https?:/.test(link)),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter(({ page, link }) => leadsNowhere(page, link))).toEqual([]);
  });

  test("names the version of Bun that the package uses", () => {
    const named = pages.flatMap((page) =>
      [...readFileSync(join(ROOT, page), "utf8").matchAll(/\bbun@([\w.]+)/g)].map(([, version]) => version),
    );
    expect([...new Set(named)]).toEqual([packageJson.devDependencies.bun]);
  });

  test("starts with a README of at most 120 lines", () => {
    expect(readFileSync(join(ROOT, "README.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  });
});
