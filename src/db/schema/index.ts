export * from "./accounts.ts";
export * from "./cards.ts";
export * from "./interactions.ts";
export * from "./jobs.ts";
export * from "./media.ts";
export * from "./oauth.ts";
export * from "./statuses.ts";
export * from "./timelines.ts";
