import type { Context, Event } from "../../context.ts";
import { SERVER_TOPIC, userTopic } from "../../core/events.ts";
import { findNotification, listNotifications, LISTED_TYPES } from "../../core/notifications/notifications.ts";
import { home, isWanted } from "../../core/timelines/timelines.ts";
import { showStatus } from "../../entities/statuses/statuses.ts";
import { parseId } from "../../lib/ids.ts";
import { EventStream } from "../../lib/events/event-stream.ts";
import { isSessionOpen } from "../../oauth/sessions.ts";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { strongestFilter } from "../public/posts/filtered.tsx";

const LIVE = "/live";

/** In ms: well below the half minute after which proxies close an idle connection. */
const HEARTBEAT = 15_000;
/** How many missed events are sent again. */
const MAX_MISSED = 40;
const encoder = new TextEncoder();

/**
 * Tells pages of signed-in users which posts and notifications are new: only their ids, so that nothing but the pages
 * shows content. The session's cookie is enough, since browsers send it with no request of another site, and such a
 * request is refused besides.
 */
export function livePages(pages: Pages): void {
  const open = new LiveStreams(pages.ctx);
  pages.get(LIVE, (page) => {
    if (!page.isOfUser() || !page.isSameOrigin()) return new Response(null, { status: 403 });
    return open.answer(page) ?? new Response(null, { status: 429 });
  });
}

/** The open streams of all pages. */
class LiveStreams {
  private readonly open = new Map<EventStream, { accountId: number; secret: string }>();
  private stop: (() => void) | null = null;

  constructor(private readonly ctx: Context) {}

  /** Null if the account has too many streams open. */
  answer(page: UserPage): Response | null {
    const { accountId, secret } = page.session;
    const own = [...this.open.values()].filter((each) => each.accountId === accountId);
    if (own.length >= (this.ctx.config.limits?.streams ?? Infinity)) return null;
    const stream: EventStream = new EventStream(() => {
      const unsubscribe = this.ctx.eventBus.subscribe(userTopic(accountId), (event) => {
        const news = this.newsOf(event, accountId);
        if (news) stream.send(frameOf(news));
      });
      this.open.set(stream, { accountId, secret });
      this.stop ??= this.start();
      for (const news of missedBy(page)) stream.send(frameOf(news));
      return () => {
        unsubscribe();
        this.open.delete(stream);
        if (this.open.size === 0) this.stop?.();
      };
    });
    return stream.response();
  }

  /** Null for what the user doesn't see. Never throws, since other listeners follow. */
  private newsOf(event: Event, accountId: number): News | null {
    try {
      if (event.event === "update" && isShown(this.ctx, accountId, event.statusId)) {
        return { event: "post", id: event.statusId };
      }
      if (event.event !== "notification") return null;
      const id = findNotification(this.ctx.db, accountId, event.notificationId)?.id;
      return id === undefined ? null : { event: "notification", id };
    } catch (error) {
      this.ctx.log.error("{event} could not be sent to a page: {error}", { event: event.event, error });
      return null;
    }
  }

  private start(): () => void {
    const timer = setInterval(() => this.beat(), HEARTBEAT).unref();
    const unsubscribe = this.ctx.eventBus.subscribe(SERVER_TOPIC, (event) => {
      if (event.event === "server.stopping") for (const stream of this.open.keys()) stream.end();
    });
    return () => {
      clearInterval(timer);
      unsubscribe();
      this.stop = null;
    };
  }

  /** Keeps the connections open, and ends those of sessions that have ended. */
  private beat(): void {
    try {
      for (const [stream, { secret }] of this.open) {
        if (isSessionOpen(this.ctx, secret)) stream.beat();
        else stream.end();
      }
    } catch (error) {
      this.ctx.log.error("the heartbeat of pages failed: {error}", { error });
    }
  }
}

interface News {
  event: "post" | "notification";
  id: number;
}

function frameOf({ event, id }: News): Uint8Array {
  return encoder.encode(`event: ${event}\ndata: ${id}\n\n`);
}

/** Whether a post appears in the home timeline: the user's filters may hide it. */
function isShown(ctx: Context, accountId: number, statusId: number): boolean {
  if (!isWanted(ctx, accountId, statusId)) return false;
  return strongestFilter(showStatus(ctx, accountId, statusId), "home")?.filter_action !== "hide";
}

/** Ids that are newer than the page: each came before the page was connected, or while the device slept. */
function missedBy(page: UserPage): News[] {
  const { ctx, session } = page;
  const [status, notification] = [parseId(page.text("home")), parseId(page.text("notifications"))];
  const since = (since_id: number) => ({ limit: MAX_MISSED, max_id: null, since_id, min_id: null });
  const filter = { types: LISTED_TYPES, fromAccountId: null, includeFiltered: false };
  const statuses = status === null ? [] : home(ctx, session.accountId, since(status));
  const notifications =
    notification === null ? [] : listNotifications(ctx.db, session.accountId, filter, since(notification));
  return [
    ...statuses
      .filter(({ id }) => isShown(ctx, session.accountId, id))
      .map(({ id }) => ({ event: "post", id }) as const),
    ...notifications.map(({ id }) => ({ event: "notification", id }) as const),
  ];
}
