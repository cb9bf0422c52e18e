import type { Context, Event } from "../../context.ts";
import { findAnnouncement } from "../../core/server/announcements.ts";
import { findConversation } from "../../core/notifications/conversations.ts";
import { findNotification } from "../../core/notifications/notifications.ts";
import { isWanted } from "../../core/timelines/timelines.ts";
import { showAnnouncements, showReactionCount } from "../../entities/announcements.ts";
import { conversationTexts } from "../../entities/statuses/conversations.ts";
import { notificationTexts } from "../../entities/notifications/notifications.ts";
import { statusTexts } from "../../entities/statuses/statuses.ts";

/** An event as a viewer receives it, in its wire formats. */
export class StreamMessage {
  private frame: Uint8Array | null = null;
  private quoted: string | null = null;

  constructor(
    private readonly event: string,
    /** JSON, or the bare id of what was deleted; null for events without a payload. */
    private readonly payload: string | null,
  ) {}

  /** For event streams. Browsers ignore events without data; Mastodon sends "undefined". */
  asFrame(): Uint8Array {
    this.frame ??= new TextEncoder().encode(`event: ${this.event}\ndata: ${this.payload ?? "undefined"}\n\n`);
    return this.frame;
  }

  /** For WebSockets, which carry several streams: `stream` is its name as JSON. */
  asText(stream: string): string {
    if (this.payload === null) return `{"stream":${stream},"event":"${this.event}"}`;
    this.quoted ??= JSON.stringify(this.payload);
    return `{"stream":${stream},"event":"${this.event}","payload":${this.quoted}}`;
  }
}

/** The messages rendered from an event. */
interface RenderedMessages {
  byViewer: Map<number, StreamMessage | null>;
  /** Viewers with the same payload share a message. */
  byPayload: Map<string | null, StreamMessage>;
}

/** Events with the same payload for every viewer. */
const SHARED: ReadonlySet<Event["event"]> = new Set(["delete", "announcement.delete", "filters_changed"]);

/** Renders each event once per viewer, regardless of their number of connections, or once for all viewers. */
export class StreamMessages {
  private readonly rendered = new WeakMap<Event, RenderedMessages>();

  constructor(private readonly ctx: Context) {}

  /** Null when the event has nothing the viewer may see and wants. Never throws, since other listeners follow. */
  of(event: Event, viewerId: number): StreamMessage | null {
    let rendered = this.rendered.get(event);
    if (!rendered) this.rendered.set(event, (rendered = { byViewer: new Map(), byPayload: new Map() }));
    const viewer = SHARED.has(event.event) ? 0 : viewerId;
    let message = rendered.byViewer.get(viewer);
    if (message === undefined) rendered.byViewer.set(viewer, (message = this.render(event, viewer, rendered)));
    return message;
  }

  private render(event: Event, viewerId: number, { byPayload }: RenderedMessages): StreamMessage | null {
    try {
      const payload = payloadOf(this.ctx, event, viewerId);
      if (payload === undefined) return null;
      let message = byPayload.get(payload);
      if (!message) byPayload.set(payload, (message = new StreamMessage(event.event, payload)));
      return message;
    } catch (error) {
      this.ctx.log.error("{event} could not be streamed: {error}", { event: event.event, error });
      return null;
    }
  }
}

/** Undefined when there is nothing to send. */
function payloadOf(ctx: Context, event: Event, viewerId: number): string | null | undefined {
  switch (event.event) {
    case "update":
    case "status.update":
      return isWanted(ctx, viewerId, event.statusId) ? statusTexts(ctx, viewerId, [event.statusId])[0] : undefined;
    case "delete":
      return String(event.statusId);
    case "notification": {
      const row = findNotification(ctx.db, viewerId, event.notificationId);
      return row ? notificationTexts(ctx, viewerId, [row])[0] : undefined;
    }
    case "conversation": {
      const row = findConversation(ctx.db, viewerId, event.conversationId);
      return row ? conversationTexts(ctx, viewerId, [row])[0] : undefined;
    }
    case "announcement": {
      const row = findAnnouncement(ctx.db, event.announcementId);
      return row ? JSON.stringify(showAnnouncements(ctx, viewerId, [row])[0]) : undefined;
    }
    case "announcement.reaction":
      return JSON.stringify(showReactionCount(ctx, viewerId, event.announcementId, event.name));
    case "announcement.delete":
      return String(event.announcementId);
    case "notifications_merged":
      // As Mastodon sends it; it has no meaning.
      return "1";
    case "filters_changed":
      return null;
    case "token.revoked":
    case "server.stopping":
      return undefined;
  }
}
