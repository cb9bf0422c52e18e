import { Refusal } from "../../errors.ts";
import { copyClip, coverOf, inspectClip } from "./clips.ts";
import {
  inspectAnimation,
  placeholderPreview,
  processAvatar,
  processCrops,
  processEmoji,
  processImage,
  processPreview,
  writeFrames,
  type ImageLimits,
  type ProcessedPreview,
} from "./images.ts";

/** All functions that read uploaded media. They run in separate processes: see media-processes.ts. */
export const TASKS = {
  copyClip,
  coverPreview,
  inspectAnimation,
  inspectClip,
  placeholderPreview,
  processAvatar,
  processCrops,
  processEmoji,
  processImage,
  processPreview,
  writeFrames,
};

/** A preview from the cover of an audio file; null if there is none, or it is not a readable image. */
async function coverPreview(path: string, limits: ImageLimits): Promise<ProcessedPreview | null> {
  const bytes = await coverOf(path);
  if (!bytes) return null;
  return processPreview(bytes, limits).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
}
