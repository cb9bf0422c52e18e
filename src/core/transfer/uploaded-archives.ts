import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../../context.ts";

/** The folder for uploaded archives, and for files that are being imported. */
export function importsFolder(ctx: Context): string {
  return join(ctx.config.data, "imports");
}

/** Where the uploaded archive of an import is, until the import has ended. */
export function uploadedArchive(ctx: Context, importId: number): string {
  return join(importsFolder(ctx), "uploads", String(importId));
}

/** Removes the uploaded file of an import that has ended. */
export async function removeUploadedArchive(ctx: Context, importId: number): Promise<void> {
  await rm(uploadedArchive(ctx, importId), { force: true });
}

/** Whether the uploaded file is there. A backup doesn't contain it. */
export function hasUploadedArchive(ctx: Context, importId: number): boolean {
  return existsSync(uploadedArchive(ctx, importId));
}
