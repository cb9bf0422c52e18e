/** The extensions of stored files, and the media types with which they are served. */
export const TYPES_BY_EXTENSION = {
  jpg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  webm: "video/webm",
  m4a: "audio/mp4",
  weba: "audio/webm",
  mp3: "audio/mpeg",
  ogg: "audio/ogg",
  flac: "audio/flac",
  wav: "audio/wav",
  aac: "audio/aac",
} as const;

export type Extension = keyof typeof TYPES_BY_EXTENSION;

/** The media type of a stored file. */
export function typeOfFile(file: string): string {
  return TYPES_BY_EXTENSION[file.slice(file.lastIndexOf(".") + 1) as Extension];
}

/** The media types that apps may use for the video and audio that `inspectClip()` supports. */
export const CLIP_TYPES = [
  "video/mp4",
  "video/quicktime",
  "video/webm",
  "video/x-matroska",
  "audio/mpeg",
  "audio/mp3",
  "audio/mp4",
  "audio/m4a",
  "audio/x-m4a",
  "audio/aac",
  "audio/ogg",
  "audio/vorbis",
  "audio/opus",
  "audio/webm",
  "audio/flac",
  "audio/x-flac",
  "audio/wav",
  "audio/wave",
  "audio/x-wav",
  "audio/x-pn-wave",
  "audio/vnd.wave",
];
