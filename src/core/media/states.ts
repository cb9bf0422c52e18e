import { eq } from "drizzle-orm";
import type { Context } from "../../context.ts";
import { updateGiven } from "../../db/builder.ts";
import type { Tx } from "../../db/open.ts";
import { mediaAttachments } from "../../db/schema/index.ts";
import type { ProcessedPreview } from "../../lib/media/images.ts";
import { MAX_TRIES } from "./limits.ts";
import { discardFiles } from "./stored-files.ts";

/*
 * The states of an upload, and all changes between them. Code that changes a state calls transition().
 *
 *               | processing                  | ready       | failed
 * reading it    | 202 or 206, `url` is null   | 200         | 422
 * publishing it | refused, can be retried     | possible    | refused
 * `source`      | the upload, to be converted | null        | null
 * `file`        | see withPreview()           | to be shown | the small image
 */

export type MediaRow = typeof mediaAttachments.$inferSelect;
type MediaColumns = Partial<MediaRow>;
type State = MediaRow["state"];

/** The columns with which an upload starts. An animation waits for its conversion to video. */
export const INITIAL = {
  image: { type: "image", state: "ready" },
  animation: { type: "gifv", state: "processing" },
  video: { type: "video", state: "processing" },
  audio: { type: "audio", state: "processing" },
  unreadable: { type: "unknown", state: "failed" },
} as const satisfies Record<string, { type: MediaRow["type"]; state: State }>;

interface Transition<Values extends unknown[]> {
  from: readonly State[];
  /** Without it, the state stays the same. */
  to?: State;
  when?(row: MediaRow): boolean;
  /** The other columns that change. */
  columns(row: MediaRow, ...values: Values): MediaColumns;
}

/** A stored small image. */
export interface StoredPreview {
  file: string;
  preview: ProcessedPreview;
}

/** The columns of the converted file. */
type ConvertedColumns = Required<
  Pick<MediaColumns, "file" | "file_size" | "content_type" | "width" | "height" | "duration" | "frame_rate" | "bitrate">
>;

export const TRANSITIONS = {
  /** Before the try, so that a try that crashes the server counts. */
  startTry: {
    from: ["processing"],
    when: ({ tries }) => tries < MAX_TRIES,
    columns: ({ tries }) => ({ tries: tries + 1 }),
  },
  /** A try that the shutdown of the server interrupts doesn't count. */
  interruptTry: {
    from: ["processing"],
    columns: ({ tries }) => ({ tries: tries - 1 }),
  },
  finish: {
    from: ["processing"],
    to: "ready",
    columns: (row, converted: ConvertedColumns, poster: StoredPreview | null) => ({
      ...(poster && row.has_thumbnail === 0 && withPreview(row, poster)),
      ...converted,
      source: null,
    }),
  },
  /** An animation that can't be converted stays an image. */
  giveUpAnimation: {
    from: ["processing"],
    when: ({ type }) => type === "gifv",
    to: "ready",
    columns: () => ({ type: "image", source: null }),
  },
  /** Of video and audio that can't be converted, only the small image remains. */
  giveUpClip: {
    from: ["processing"],
    when: ({ type }) => type !== "gifv",
    to: "failed",
    columns: ({ small_width, small_height }) => ({
      type: "unknown",
      source: null,
      blurhash: null,
      colors: null,
      width: small_width,
      height: small_height,
      duration: null,
      frame_rate: null,
      bitrate: null,
    }),
  },
  setThumbnail: {
    from: ["processing", "ready"],
    columns: (row, thumbnail: StoredPreview) => ({ ...withPreview(row, thumbnail), has_thumbnail: 1 }),
  },
} satisfies Record<string, Transition<never[]>>;

/** The columns with another small image. The colours of audio come from it, too. */
function withPreview({ type, state, file }: MediaRow, { file: small, preview }: StoredPreview): MediaColumns {
  const { image, blurhash, colors } = preview;
  return {
    // A clip that isn't converted yet has nothing else to show.
    file: state === "processing" && type !== "gifv" ? small : file,
    small,
    small_width: image.width,
    small_height: image.height,
    blurhash,
    colors: type === "audio" ? JSON.stringify(colors) : null,
  };
}

/**
 * Changes an upload, and discards the files that its row no longer names. Returns the new row; null, without a change,
 * if the transition doesn't apply or the upload is gone.
 */
export function transition<Values extends unknown[]>(
  ctx: Context,
  tx: Tx,
  id: number,
  { from, to, when, columns }: Transition<Values>,
  ...values: Values
): MediaRow | null {
  const row = tx.get<MediaRow>("SELECT * FROM media_attachments WHERE id = +$id", { id });
  if (!row || !from.includes(row.state) || when?.(row) === false) return null;
  const changes = { ...columns(row, ...values), state: to ?? row.state };
  updateGiven(tx, mediaAttachments, changes, eq(mediaAttachments.id, id));
  const next = { ...row, ...changes };
  discardFiles(
    ctx,
    tx,
    filesOf(row).filter((file) => !filesOf(next).includes(file)),
  );
  return next;
}

export type MediaFiles = Pick<MediaRow, "file" | "small" | "source">;

/** Every file that belongs to an upload. */
export function filesOf({ file, small, source }: MediaFiles): (string | null)[] {
  return [file, small, source];
}
