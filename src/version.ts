import { homepage, version } from "../package.json";

/** Of this Linnet, from package.json. */
export const VERSION: string = version;

/** Where its source is found. */
export const SOURCE_URL: string = homepage;
