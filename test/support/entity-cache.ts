import { ACCOUNT_TEXTS, STATUS_TEXTS } from "../../src/entities/cache.ts";
import type { TestServer } from "./server.ts";

/** Empties the cache of statuses and accounts, so that the next response is made from the database. */
export function clearEntityCache({ ctx }: Pick<TestServer, "ctx">): void {
  ctx.caches.of(STATUS_TEXTS).clear();
  ctx.caches.of(ACCOUNT_TEXTS).clear();
}
