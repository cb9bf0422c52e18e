import type { Context } from "../../context.ts";
import { SERVER_TOPIC } from "../../core/events.ts";
import { Refusal } from "../../errors.ts";
import { validTokenIds } from "../../oauth/guard.ts";
import type { Listener } from "./streams.ts";

/** Heartbeat interval in seconds: well below the half minute after which proxies close an idle connection. */
const HEARTBEAT_SECONDS = 15;
const SECOND = 1000;

/** Why the server ends a stream. */
export type EndReason = "revoked" | "stopping";

/** A long-lived connection: an event stream or a WebSocket. */
export interface OpenStream {
  readonly listener: Listener;
  beat?(): void;
  end(why: EndReason): void;
}

/**
 * All open streams. Ends those whose token is no longer valid, and all of them when the server stops. Each second only
 * one part of them gets its heartbeat, so that ten thousand don't block other requests.
 */
export class OpenStreams {
  private readonly parts: Set<OpenStream>[] = Array.from({ length: HEARTBEAT_SECONDS }, () => new Set());
  private readonly perAccount = new Map<number, number>();
  private turn = 0;
  private running: { timer: Timer; unsubscribe(): void } | null = null;

  constructor(private readonly ctx: Context) {}

  /** Refuses a listener (`too_many`) whose account has the maximum of streams open. */
  admit({ viewer }: Listener): void {
    const most = this.ctx.config.limits?.streams ?? Infinity;
    if ((this.perAccount.get(viewer.accountId) ?? 0) < most) return;
    throw new Refusal("too_many", `At most ${most} streams can be open. Close one before you open another.`);
  }

  /** Registers a stream. Returns the function to call, once, when the stream has ended. */
  add(stream: OpenStream): () => void {
    const { accountId } = stream.listener.viewer;
    const part = this.parts.reduce((smallest, part) => (part.size < smallest.size ? part : smallest));
    part.add(stream);
    this.perAccount.set(accountId, (this.perAccount.get(accountId) ?? 0) + 1);
    this.running ??= this.run();
    return () => {
      part.delete(stream);
      const left = this.perAccount.get(accountId)! - 1;
      if (left > 0) this.perAccount.set(accountId, left);
      else this.perAccount.delete(accountId);
      if (this.perAccount.size === 0) this.stopHeartbeat();
    };
  }

  /** One second's share: ends the streams whose token is no longer valid and sends a heartbeat to the others. */
  beat(): void {
    const part = this.parts[(this.turn = (this.turn + 1) % HEARTBEAT_SECONDS)]!;
    const valid = validTokenIds(
      this.ctx,
      [...part].map(({ listener }) => listener.tokenId),
    );
    for (const stream of part) {
      if (valid.has(stream.listener.tokenId)) stream.beat?.();
      else stream.end("revoked");
    }
  }

  private run() {
    const timer = setInterval(() => {
      try {
        this.beat();
      } catch (error) {
        this.ctx.log.error("the heartbeat of streams failed: {error}", { error });
      }
    }, SECOND).unref();
    const unsubscribe = this.ctx.eventBus.subscribe(SERVER_TOPIC, (event) => {
      if (event.event === "server.stopping") this.endAll("stopping");
      if (event.event === "token.revoked") this.endAll("revoked", event.tokenId);
    });
    return { timer, unsubscribe };
  }

  private stopHeartbeat(): void {
    clearInterval(this.running?.timer);
    this.running?.unsubscribe();
    this.running = null;
  }

  private endAll(why: EndReason, tokenId?: number): void {
    for (const part of this.parts) {
      for (const stream of part) {
        if (tokenId === undefined || stream.listener.tokenId === tokenId) stream.end(why);
      }
    }
  }
}
