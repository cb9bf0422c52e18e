import { homepage, version } from "../package.json";

/** Linnet's version, from package.json. */
export const VERSION: string = version;

/** The address of Linnet's source code. */
export const SOURCE_URL: string = homepage;

/** The Mastodon version whose API Linnet implements. Apps use it to detect features. */
export const MASTODON_VERSION = "4.5.0";
