import { version } from "../package.json";

/** Of this Linnet, from package.json. */
export const VERSION: string = version;
