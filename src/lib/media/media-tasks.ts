import { Refusal } from "../../errors.ts";
import { copyClip, coverOf, inspectClip } from "./clips.ts";
import {
  inspectAnimation,
  placeholderPreview,
  processAvatar,
  processCuts,
  processEmoji,
  processImage,
  processPreview,
  writeFrames,
  type ImageLimits,
  type ProcessedPreview,
} from "./images.ts";

/** Everything that reads media which people sent. It runs in a process of its own: see media-processes.ts. */
export const TASKS = {
  copyClip,
  coverPreview,
  inspectAnimation,
  inspectClip,
  placeholderPreview,
  processAvatar,
  processCuts,
  processEmoji,
  processImage,
  processPreview,
  writeFrames,
};

/** The cover of a recording; null when there is none, or it is no picture. */
async function coverPreview(path: string, limits: ImageLimits): Promise<ProcessedPreview | null> {
  const bytes = await coverOf(path);
  if (!bytes) return null;
  return processPreview(bytes, limits).catch((error: unknown) => {
    if (error instanceof Refusal) return null;
    throw error;
  });
}
