import type { Config, LimitName } from "./config.ts";
import type { Db } from "./db/open.ts";
import { Rendered } from "./db/rendered.ts";
import { Ffmpeg } from "./lib/media/ffmpeg.ts";
import { Hub } from "./lib/hub.ts";
import { Ids } from "./lib/ids.ts";
import { LibreTranslate, type LibreTranslateSettings } from "./lib/http/libretranslate.ts";
import { stackOf, type Logger } from "./lib/log.ts";
import { MediaProcesses } from "./lib/media/media-processes.ts";
import {
  fetchOutside,
  isPublicAddress,
  type Outlet,
  type OutboundRequest,
  type OutboundResponse,
} from "./lib/http/outbound.ts";
import { SlidingWindow, Windows } from "./lib/rates.ts";
import { RequestLog } from "./lib/http/request-log.ts";
import { Refreshes } from "./lib/refreshes.ts";
import { Turns } from "./lib/turns.ts";
import { VERSION } from "./version.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** What happened, told to whoever streams; rendered by each listener, since what one may see differs. */
export type Event =
  | { event: "update" | "status.update" | "delete"; statusId: number }
  | { event: "notification"; notificationId: number }
  | { event: "notifications_merged" }
  | { event: "filters_changed" }
  | { event: "announcement" | "announcement.delete"; announcementId: number }
  | { event: "announcement.reaction"; announcementId: number; name: string }
  | { event: "conversation"; conversationId: number }
  | { event: "token.revoked"; tokenId: number }
  | { event: "server.stopping" };

type Rates = Record<Exclude<LimitName, "sign_in">, Windows> & { sign_in: SlidingWindow };

/** What one server shares. The world comes in through here, so that a test makes several servers in one process. */
export interface Context {
  config: Config;
  db: Db;
  clock: Clock;
  ids: Ids;
  hub: Hub<Event>;
  rendered: Rendered;
  log: Logger;
  requests: RequestLog;
  /** Counts of calls, by limit; null when limits are off. */
  rates: Rates | null;
  /** Work factor of password hashes: argon2id passes and KiB. */
  passwords: { timeCost: number; memoryCost: number };
  /** The only way to the outside; throws an OutboundError for whatever does not succeed within the bounds. */
  fetchOutside(url: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Null where the owner has named no service that translates. */
  translator: LibreTranslate | null;
  /** What makes film and sound playable everywhere; null when there is none. */
  ffmpeg: Ffmpeg | null;
  /** Film and sound that are being processed, by the attachment's id. */
  processing: Turns;
  /** Read what people send, while they wait for it. */
  media: MediaProcesses;
  /** Read film and sound that are being processed, which can take minutes. */
  films: MediaProcesses;
  /** What is still being done when an answer is given. */
  refreshes: Refreshes;
  /** Tells the job loop that there may be something to do; does nothing until the loop has started. */
  wake(): void;
}

/** OWASP's recommendation for argon2id on small machines. */
const PASSWORDS = { timeCost: 2, memoryCost: 19_456 };

/** Gathers what the server shares, around a database that is up to date. */
export function openContext(
  config: Config,
  db: Db,
  world: Pick<Context, "log"> &
    Partial<Pick<Context, "clock" | "passwords" | "media" | "films">> & { lookup?: Outlet["lookup"] },
): Context {
  const clock = world.clock ?? { now: () => Date.now() };
  const highest = db.get<{ id: number | null }>(`
    SELECT max(id) AS id FROM (
      SELECT max(id) AS id FROM statuses UNION ALL
      SELECT max(id) FROM accounts UNION ALL
      SELECT max(id) FROM media_attachments)`);
  const outlet = outletOf(config, world.lookup);
  db.onEffectError = (error) => world.log.error("an after-commit effect failed: {error}", { error: stackOf(error) });
  return {
    config,
    db,
    clock,
    ids: new Ids(clock, highest?.id ?? 0),
    hub: new Hub((error, topic) => {
      world.log.error("a listener to {topic} failed: {error}", { topic, error: stackOf(error) });
    }),
    rendered: new Rendered(db),
    log: world.log,
    requests: new RequestLog(world.log),
    rates: config.limits && windowsOf(config.limits),
    passwords: world.passwords ?? PASSWORDS,
    fetchOutside: (url, request) => fetchOutside(url, request, outlet),
    translator: config.libreTranslate && translatorOf(config.libreTranslate, outlet, clock),
    ffmpeg: config.ffmpeg === null ? null : new Ffmpeg(config.ffmpeg),
    processing: new Turns(),
    media: world.media ?? new MediaProcesses(2),
    films: world.films ?? new MediaProcesses(1),
    refreshes: new Refreshes(clock),
    wake: () => {},
  };
}

function outletOf(config: Config, lookup: Outlet["lookup"]): Outlet {
  return {
    userAgent: `Linnet/${VERSION} (+${config.origin})`,
    allows: config.allowPrivateAddresses ? () => true : isPublicAddress,
    ...(lookup && { lookup }),
  };
}

/** Its address comes from the owner, who may well run it on the same machine. */
function translatorOf(settings: LibreTranslateSettings, outlet: Outlet, clock: Clock): LibreTranslate {
  const trusting = { ...outlet, allows: () => true };
  return new LibreTranslate(settings, (url, request) => fetchOutside(url, request, trusting), clock);
}

function windowsOf(limits: NonNullable<Config["limits"]>): Rates {
  const windows = (name: LimitName) => new Windows(limits[name].calls, limits[name].seconds);
  return {
    account: windows("account"),
    address: windows("address"),
    pages: windows("pages"),
    media: windows("media"),
    deletes: windows("deletes"),
    sign_in: new SlidingWindow(limits.sign_in.calls, limits.sign_in.seconds),
    registrations: windows("registrations"),
  };
}
