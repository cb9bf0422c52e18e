import { newSecret } from "./secrets.ts";

const DAY = 24 * 3600_000;

interface Refresh {
  id: string;
  accountId: number;
  isRunning: () => boolean;
  /** Once it was found finished it stays so: what runs later is another one. */
  finished: boolean;
  startedAt: number;
}

/**
 * What is still being done when an answer is given, for apps that ask whether it is done. In memory: after a start of the
 * server nothing is known of it, and the app just asks for the whole again.
 */
export class Refreshes {
  /** One for each thing that is refreshed, so that there are never many. */
  private readonly bySubject = new Map<string, Refresh>();

  constructor(private readonly clock: { now(): number }) {}

  /** The id under which somebody may ask about what is being refreshed for them. */
  idOf(accountId: number, subject: string, isRunning: () => boolean): string {
    const key = `${accountId} ${subject}`;
    const known = this.bySubject.get(key);
    if (known && !known.finished && !this.isOver(known)) return known.id;
    const refresh = { id: newSecret(), accountId, isRunning, finished: false, startedAt: this.clock.now() };
    this.bySubject.set(key, refresh);
    return refresh.id;
  }

  /** How far somebody's refresh is; null for one that is unknown, long ago or another's. */
  statusOf(accountId: number, id: string): "running" | "finished" | null {
    const refresh = [...this.bySubject.values()].find((known) => known.id === id && known.accountId === accountId);
    if (!refresh || this.isOver(refresh)) return null;
    refresh.finished ||= !refresh.isRunning();
    return refresh.finished ? "finished" : "running";
  }

  private isOver({ startedAt }: Refresh): boolean {
    return this.clock.now() - startedAt >= DAY;
  }
}
