import { newSecret } from "./secrets.ts";

const DAY = 24 * 3600_000;

interface AsyncRefresh {
  id: string;
  accountId: number;
  isRunning: () => boolean;
  /** Once true, it stays true: later work is another refresh. */
  finished: boolean;
  startedAt: number;
}

/**
 * Tracks work that continues after a response was sent, so that apps can poll for its end. Kept in memory: after a
 * restart, a refresh is unknown, and the app just requests the resource again.
 */
export class AsyncRefreshes {
  /** One per account and subject, so the map stays small. */
  private readonly bySubject = new Map<string, AsyncRefresh>();

  constructor(private readonly clock: { now(): number }) {}

  /** The id with which an account can query the refresh of `subject`. New unless the last one is still unfinished. */
  idOf(accountId: number, subject: string, isRunning: () => boolean): string {
    const key = `${accountId} ${subject}`;
    const known = this.bySubject.get(key);
    if (known && !known.finished && !this.isOver(known)) return known.id;
    const refresh = { id: newSecret(), accountId, isRunning, finished: false, startedAt: this.clock.now() };
    this.bySubject.set(key, refresh);
    return refresh.id;
  }

  /** The state of a refresh; null if it is unknown, older than a day, or of another account. */
  statusOf(accountId: number, id: string): "running" | "finished" | null {
    const refresh = [...this.bySubject.values()].find((known) => known.id === id && known.accountId === accountId);
    if (!refresh || this.isOver(refresh)) return null;
    refresh.finished ||= !refresh.isRunning();
    return refresh.finished ? "finished" : "running";
  }

  private isOver({ startedAt }: AsyncRefresh): boolean {
    return this.clock.now() - startedAt >= DAY;
  }
}
