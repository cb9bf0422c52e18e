import { join } from "node:path";
import type { Json as AnyJson } from "../../support/client.ts";
import { parseDocument, type Json } from "../../../src/federation/read/json.ts";

export const NOW = Date.parse("2026-11-22T12:00:00Z");
export const BO = "https://linnet.example/users/bo";

const FOLDER = join(import.meta.dir, "../../fixtures/federation");

/** A document in `test/fixtures/federation`, by its path without ".json". */
export async function fixture(name: string): Promise<Json> {
  const json = parseDocument(await Bun.file(join(FOLDER, `${name}.json`)).text());
  if (json === null) throw new Error(`${name}.json is no document`);
  return json;
}

/** The embedded object of an activity in `test/fixtures/federation`. */
export async function objectOf(name: string): Promise<Json> {
  return (await fixture(name)).object as Json;
}

export const ALL = [...new Bun.Glob("**/*.json").scanSync(FOLDER)].map((file) => file.slice(0, -5)).toSorted();

/** The key of all actors. */
export const PEM = ((await fixture("gotosocial/key")).publicKey as Json).publicKeyPem as string;

/** The properties that most attachments lack. */
export const MEDIA = {
  previewUrl: null,
  description: null,
  width: null,
  height: null,
  focusX: 0,
  focusY: 0,
  blurhash: null,
  duration: null,
};

/** A fixture whose addresses are replaced by those of a test. */
export async function moved(name: string, addresses: Record<string, string>): Promise<AnyJson> {
  const text = JSON.stringify(await fixture(name));
  return JSON.parse(Object.entries(addresses).reduce((changed, [from, to]) => changed.replaceAll(from, to), text));
}
