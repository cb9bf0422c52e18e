import type { Context, Event } from "../context.ts";
import { findAnnouncement } from "../core/announcements.ts";
import { findConversation } from "../core/conversations.ts";
import { findNotification } from "../core/notifications.ts";
import { isWanted } from "../core/timelines.ts";
import { showAnnouncements, showReactionCount } from "../entities/announcements.ts";
import { conversationTexts } from "../entities/conversations.ts";
import { notificationTexts } from "../entities/notifications.ts";
import { statusTexts } from "../entities/statuses.ts";

/** What an event says to one viewer, in the forms in which it goes over the wire. */
export class Message {
  private frame: Uint8Array | null = null;
  private quoted: string | null = null;

  constructor(
    private readonly event: string,
    /** JSON, or the bare id of what was deleted; null where the event says it all. */
    private readonly payload: string | null,
  ) {}

  /** For event streams. Without data a browser would not hear of an event; Mastodon says "undefined". */
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

/** Renders each event once for each viewer who listens, on however many connections. */
export class Messages {
  private readonly rendered = new WeakMap<Event, Map<number, Message | null>>();

  constructor(private readonly ctx: Context) {}

  /** Null when the event holds nothing that the viewer may see and wants. Never throws: others listen too. */
  of(event: Event, viewerId: number): Message | null {
    let byViewer = this.rendered.get(event);
    if (!byViewer) this.rendered.set(event, (byViewer = new Map()));
    let message = byViewer.get(viewerId);
    if (message === undefined) byViewer.set(viewerId, (message = this.render(event, viewerId)));
    return message;
  }

  private render(event: Event, viewerId: number): Message | null {
    try {
      const payload = payloadOf(this.ctx, event, viewerId);
      return payload === undefined ? null : new Message(event.event, payload);
    } catch (error) {
      this.ctx.log.error("{event} could not be streamed: {error}", { event: event.event, error });
      return null;
    }
  }
}

/** Undefined when there is nothing to be told. */
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
      const row = findConversation(ctx, viewerId, event.conversationId);
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
    case "filters_changed":
      return null;
    case "token.revoked":
    case "server.stopping":
      return undefined;
  }
}
