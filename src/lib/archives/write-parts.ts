import { open } from "node:fs/promises";
import type { Bytes } from "./archive.ts";

/** Writes a new file as its parts arrive. False if it would be larger than `max` bytes. */
export async function writeParts(path: string, parts: Bytes, max: number): Promise<boolean> {
  const file = await open(path, "w", 0o600);
  let size = 0;
  try {
    for await (const part of parts) {
      size += part.length;
      if (size > max) return false;
      await file.write(part);
    }
    return true;
  } finally {
    await file.close();
  }
}
