import { AVATAR_LIMITS, DEFAULT_PIXELS, type ImageLimits } from "../../lib/media/images.ts";

/*
 * The limits of media. Unless a comment says otherwise, they are Mastodon's, and clients read them from the instance
 * configuration.
 */

const MEBIBYTE = 1024 * 1024;

/** Per status. */
export const MAX_ATTACHMENTS = 4;
/** In UTF-16 units. */
export const MAX_DESCRIPTION = 1500;

export const IMAGE_LIMITS: ImageLimits = { bytes: 16 * MEBIBYTE, pixels: DEFAULT_PIXELS };
export const VIDEO_BYTES = 99 * MEBIBYTE;
export const VIDEO_PIXELS = 8_294_400;
export const VIDEO_FRAME_RATE = 120;
/** Avatars and headers. */
export const AVATAR_BYTES = AVATAR_LIMITS.bytes;
/** Other servers reject larger emoji. The limit on pixels is Linnet's; it stops decompression bombs. */
export const EMOJI_LIMITS: ImageLimits = { bytes: 256 * 1024, pixels: 1024 * 1024 };
/** Linnet's: other programs accept larger emoji. */
export const REMOTE_EMOJI_LIMITS: ImageLimits = { ...EMOJI_LIMITS, bytes: MEBIBYTE };

/** The body of an upload request: a file and a thumbnail, with room for the other fields of the form. */
export const UPLOAD_REQUEST_BYTES = VIDEO_BYTES + IMAGE_LIMITS.bytes + MEBIBYTE;

/** Linnet's: converted videos are at most full HD, because a small computer has to encode and send them. */
export const CONVERTED_PIXELS = 1920 * 1080;
/** Linnet's: tries for an upload whose conversion crashes the server or fills the disk. */
export const MAX_TRIES = 3;
