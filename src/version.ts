import { homepage, version } from "../package.json";

/** Of this Linnet, from package.json. */
export const VERSION: string = version;

/** Where its source is found. */
export const SOURCE_URL: string = homepage;

/** Of the Mastodon whose interface this serves: apps read it to know what they may ask for. */
export const MASTODON_VERSION = "4.5.0";
