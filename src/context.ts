import { statfs } from "node:fs/promises";
import type { Config, LimitName } from "./config.ts";
import type { Db } from "./db/open.ts";
import { RowCaches } from "./db/row-cache.ts";
import { Ffmpeg } from "./lib/media/ffmpeg.ts";
import { EventBus } from "./lib/events/event-bus.ts";
import { FairQueue } from "./lib/fair-queue.ts";
import { Ids } from "./lib/ids.ts";
import { LibreTranslate, type LibreTranslateSettings } from "./lib/http/libretranslate.ts";
import { stackOf, type Logger } from "./lib/log.ts";
import { Signer } from "./lib/signatures.ts";
import { GitHubProvider } from "./lib/openid/github.ts";
import { OpenIdProvider } from "./lib/openid/openid-provider.ts";
import type { Fetch, IdentityProvider, ProviderSettings } from "./lib/openid/provider.ts";
import { Mailer } from "./lib/mail/mailer.ts";
import type { MediaProcesses } from "./lib/media/media-processes.ts";
import { MediaQueue } from "./lib/media/media-queue.ts";
import {
  fetchOutside,
  isPublicAddress,
  type Outlet,
  type OutboundRequest,
  type OutboundResponse,
} from "./lib/http/outbound.ts";
import { SlidingWindow, Windows } from "./lib/rates.ts";
import { generateKeyPair, type KeyPair } from "./lib/signatures.ts";
import { RequestLog } from "./lib/http/request-log.ts";
import { SingleFlight } from "./lib/single-flight.ts";
import { AsyncRefreshes } from "./lib/async-refreshes.ts";
import { VERSION } from "./version.ts";

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** An event for streaming clients. Each listener renders it, since the result depends on the viewer. */
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

/** Finds accounts and statuses on other servers. `federation/` implements it, `core` uses it. */
export interface Remote {
  /** The id of the account with this handle, fetched if it is unknown or outdated; null if its server doesn't have it. */
  account(handle: { username: string; domain: string }): Promise<number | null>;
  /** The account or status with this URI or URL, fetched if it is unknown; null if there is none. */
  object(url: string): Promise<{ type: "account" | "status"; id: number } | null>;
  /**
   * The account with this URI as its server has it now, with the URIs of its aliases and of the account to which it has
   * moved; null if its server doesn't respond, or doesn't have it.
   */
  successor(uri: string): Promise<{ id: number; aliases: readonly string[]; movedTo: string | null } | null>;
}

/** For commands, which ask no other server. */
export const NOBODY: Remote = {
  account: () => Promise.resolve(null),
  object: () => Promise.resolve(null),
  successor: () => Promise.resolve(null),
};

type Rates = Record<Exclude<LimitName, "sign_in">, Windows> & { sign_in: SlidingWindow };

/** The cache of other servers' media, as far as it is in memory. */
export interface MediaCache {
  /** Fetches of images and of whole clips: a few at a time in total and for each site. */
  images: FairQueue;
  clips: FairQueue;
  /** When files were last shown, by id, since these times were last written to their rows. */
  shown: Map<number, number>;
  /** The size of all files; null until they are counted. */
  bytes: number | null;
}

/** Requests that activities of other servers cause. */
export interface ActivityFetches {
  /** A few at a time in total and to each site. */
  queue: FairQueue;
  /** Requests by the site that sent the activities, and by the site that gets them. */
  bySender: SlidingWindow;
  toTarget: SlidingWindow;
}

/** Fetches by jobs that no request waits for: a few at a time in total and to each host. */
export interface BackgroundFetches {
  queue: FairQueue;
  /** The subjects whose jobs are written after the response that caused them. */
  unwritten: Set<string>;
  /** Origins that failed or asked to wait, and until when. */
  pausedUntil: Map<string, number>;
  /** Fetches of posts that relays have named. They have their own places, so that the others never wait for them. */
  relayed: FairQueue;
  /** The number of these posts. */
  relayedPosts: SlidingWindow;
  /** The number of posts that their servers don't have, by relay and site. */
  missingPosts: SlidingWindow;
}

/** The followers of a local account on other servers. */
export interface FollowersOfAccount {
  /** When they were read. */
  at: number;
  username: string;
  /** A digest of those on each server, by its origin. */
  digests: ReadonlyMap<string, string>;
}

/** Bytes on a disk. */
interface DiskSpace {
  free: number;
  total: number;
}

/** The shared state and external dependencies of one server. Tests run several servers in one process. */
export interface Context {
  config: Config;
  db: Db;
  clock: Clock;
  ids: Ids;
  eventBus: EventBus<Event>;
  /** Values computed from rows, dropped when the rows change. */
  caches: RowCaches;
  log: Logger;
  requestLog: RequestLog;
  /** Call counters by limit; null when rate limits are off. */
  rates: Rates | null;
  /** Work factor of password hashes: argon2id passes and KiB. */
  passwords: { timeCost: number; memoryCost: number };
  /** Generates a key that signs requests to other servers. */
  generateKeys(): Promise<KeyPair>;
  /** The only way to send requests to other servers. Throws an OutboundError unless they succeed within the bounds. */
  fetchOutside(url: string, request: OutboundRequest): Promise<OutboundResponse>;
  /** Null if no translation service is configured. */
  translator: LibreTranslate | null;
  /** Sends e-mails; null if no mail server is configured. */
  mailer: Mailer | null;
  /** The identity providers with which users can sign in. */
  providers: readonly IdentityProvider[];
  /** Converts video and audio to formats that play everywhere; null if ffmpeg is missing or off. */
  ffmpeg: Ffmpeg | null;
  /** The queue for reading and converting uploads. */
  media: MediaQueue;
  mediaCache: MediaCache;
  activityFetches: ActivityFetches;
  background: BackgroundFetches;
  /** Whether many activities of other servers arrive at once. Set while they are processed. */
  hasBacklog: boolean;
  /** Reports that other servers sent, by their site. */
  receivedReports: SlidingWindow;
  /** The number of archives that users have uploaded, by account. */
  uploadedArchives: SlidingWindow;
  /** The followers that are sent along with activities which are being delivered, by the row of the activity. */
  followersByActivity: Map<number, FollowersOfAccount>;
  /** The space on the disk of the media cache. */
  diskSpace(): Promise<DiskSpace>;
  /** Work that several requests wait for. */
  flights: SingleFlight;
  /** Work that continues after a response was sent. */
  asyncRefreshes: AsyncRefreshes;
  /** Other servers, as far as `core` needs them. Knows none until the app sets it. */
  remote: Remote;
  /** Signs requests to other servers. */
  signer: Signer;
  /** Wakes the job loop; does nothing until the loop has started. */
  wake(): void;
  /** Aborts when the server stops, and with it all requests to other servers. Their jobs run again after the next start. */
  stopping: AbortController;
  /** Whether the server is being stopped: long jobs end early, and continue after the next start. */
  readonly isStopping: boolean;
}

/** OWASP's recommendation for argon2id on small machines. */
const PASSWORDS = { timeCost: 2, memoryCost: 19_456 };

/** Reports from one site: more than honest moderators forward to a small server, and few enough to be read. */
const REPORTS_PER_HOUR = 20;
/** Paths that a secret follows: the code of an invitation. All other secrets are in queries. */
const SECRET_PATHS = ["/invite/"];
/** Each may have a gigabyte. */
const ARCHIVES_PER_HOUR = 10;
/** Of one site, in an hour. 20 pause a relay: a single member must not cause that with addresses of its own. */
const MISSING_POSTS_OF_SITE = 5;

/** Creates the context for a migrated database. */
export function openContext(
  config: Config,
  db: Db,
  world: Pick<Context, "log"> &
    Partial<Pick<Context, "clock" | "passwords" | "generateKeys">> & {
      mediaProcesses?: MediaProcesses;
      lookup?: Outlet["lookup"];
    },
): Context {
  const clock = world.clock ?? { now: () => Date.now() };
  const highest = db.get<{ id: number | null }>(`
    SELECT max(id) AS id FROM (
      SELECT max(id) AS id FROM statuses UNION ALL
      SELECT max(id) FROM accounts UNION ALL
      SELECT max(id) FROM media_attachments)`);
  const outlet = outletOf(config, () => ctx.stopping.signal, world.lookup);
  db.onEffectError = (error) => world.log.error("an after-commit effect failed: {error}", { error: stackOf(error) });
  const ctx: Context = {
    config,
    db,
    clock,
    ids: new Ids(clock, highest?.id ?? 0),
    eventBus: new EventBus((error, topic) => {
      world.log.error("a listener to {topic} failed: {error}", { topic, error: stackOf(error) });
    }),
    caches: new RowCaches(db),
    log: world.log,
    requestLog: new RequestLog(world.log, SECRET_PATHS),
    rates: config.limits && windowsOf(config.limits),
    passwords: world.passwords ?? PASSWORDS,
    generateKeys: world.generateKeys ?? generateKeyPair,
    fetchOutside: (url, request) => fetchOutside(url, request, outlet),
    translator: config.libreTranslate && translatorOf(config.libreTranslate, outlet, clock),
    mailer: config.mail && new Mailer(config.mail, new URL(config.origin).hostname),
    providers: config.providers.map((settings) => providerOf(settings, outlet, clock)),
    ffmpeg: config.ffmpeg === null ? null : new Ffmpeg(config.ffmpeg),
    media: new MediaQueue(world.mediaProcesses),
    mediaCache: {
      images: new FairQueue(16, Infinity, 4),
      clips: new FairQueue(4, Infinity, 2),
      shown: new Map(),
      bytes: null,
    },
    activityFetches: {
      queue: new FairQueue(32, Infinity, 4),
      bySender: new SlidingWindow(120, 60),
      // Higher, so that no sender alone can use it up.
      toTarget: new SlidingWindow(240, 60),
    },
    background: {
      queue: new FairQueue(8, Infinity, 2),
      unwritten: new Set(),
      pausedUntil: new Map(),
      relayed: new FairQueue(2, Infinity, 1),
      relayedPosts: new SlidingWindow(60, 60),
      missingPosts: new SlidingWindow(MISSING_POSTS_OF_SITE, 3600),
    },
    hasBacklog: false,
    receivedReports: new SlidingWindow(REPORTS_PER_HOUR, 3600),
    uploadedArchives: new SlidingWindow(ARCHIVES_PER_HOUR, 3600),
    followersByActivity: new Map(),
    diskSpace: () => diskSpace(config.data),
    flights: new SingleFlight(),
    asyncRefreshes: new AsyncRefreshes(clock),
    remote: NOBODY,
    signer: new Signer(),
    wake: () => {},
    stopping: new AbortController(),
    get isStopping() {
      return this.stopping.signal.aborted;
    },
  };
  return ctx;
}

/** Without the blocks that are reserved for the system. */
async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bsize, blocks, bfree, bavail } = await statfs(folder);
  return { free: bavail * bsize, total: (blocks - bfree + bavail) * bsize };
}

function outletOf(config: Config, stopping: () => AbortSignal, lookup: Outlet["lookup"]): Outlet {
  return {
    stopping,
    userAgent: `Linnet/${VERSION} (+${config.origin})`,
    allows: config.allowPrivateAddresses ? () => true : isPublicAddress,
    ...(lookup && { lookup }),
  };
}

/** May connect to private addresses: the owner configures the service and may run it on the same machine. */
function translatorOf(settings: LibreTranslateSettings, outlet: Outlet, clock: Clock): LibreTranslate {
  const trusting = { ...outlet, allows: () => true };
  return new LibreTranslate(settings, (url, request) => fetchOutside(url, request, trusting), clock);
}

/** The owner configures the provider, which may be in a private network. Other hosts that it names may not. */
function providerOf(settings: ProviderSettings, outlet: Outlet, clock: Clock): IdentityProvider {
  const { hostname } = new URL(settings.issuer);
  const trusting = { ...outlet, allows: () => true };
  const fetch: Fetch = (url, request) =>
    fetchOutside(url, request, new URL(url).hostname === hostname ? trusting : outlet);
  return settings.id === "github" ? new GitHubProvider(settings, fetch) : new OpenIdProvider(settings, fetch, clock);
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
