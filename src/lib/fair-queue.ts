/** The user of a piece of work: an account's id, or the name of a background task. */
export type User = number | string;

interface Piece {
  user: User;
  /** It ran for longer than `patience`, in this attempt or an earlier one. */
  slow: boolean;
  overdue: boolean;
  attempt: AbortController;
  work(signal: AbortSignal): Promise<void>;
  reject(error: unknown): void;
}

/**
 * Runs a few pieces of heavy work at a time, fairly between users: one piece per user at a time (or `perUser`), and the
 * user who has waited longest goes first. One place stays available for quick work: a piece that takes longer than `patience` counts
 * as slow. If two pieces are slow and other work is waiting, the younger one is aborted, and restarted when the older
 * one is done. So each other user delays a user's work by at most `patience`, however slow their work is.
 */
export class FairQueue {
  private readonly waiting: Piece[] = [];
  private readonly running = new Set<Piece>();
  private readonly turns = new Map<User, number>();
  private turn = 0;

  /** `patience` is in milliseconds; with Infinity no piece counts as slow. */
  constructor(
    private readonly places: number,
    private readonly patience: number,
    private readonly perUser = 1,
  ) {}

  /** How many pieces wait for their turn. */
  get length(): number {
    return this.waiting.length;
  }

  /** Runs the work when its turn comes. An aborted attempt must end soon; the queue restarts the work later. */
  take<Result>(user: User, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const attempt = new AbortController();
    this.waiting.push({
      user,
      slow: false,
      overdue: false,
      attempt,
      work: async (signal) => resolve(await work(signal)),
      reject,
    });
    this.fill();
    return promise;
  }

  private fill(): void {
    const overdue = this.runs((piece) => piece.overdue && !piece.slow);
    if (overdue && this.hasRoomForSlow()) overdue.slow = true;
    for (let next = this.next(); next; next = this.next()) {
      if (this.running.size === this.places) return this.makeRoom();
      this.waiting.splice(this.waiting.indexOf(next), 1);
      void this.run(next);
    }
  }

  private next(): Piece | null {
    const eligible = this.waiting.filter(
      ({ user, slow }) => this.runningFor(user) < this.perUser && (!slow || this.hasRoomForSlow()),
    );
    const lastTurn = ({ user }: Piece) => this.turns.get(user) ?? 0;
    return eligible.reduce<Piece | null>(
      (best, piece) => (best && lastTurn(best) <= lastTurn(piece) ? best : piece),
      null,
    );
  }

  private hasRoomForSlow(): boolean {
    return !this.runs((piece) => piece.slow);
  }

  private runningFor(user: User): number {
    return [...this.running].filter((piece) => piece.user === user).length;
  }

  private runs(condition: (piece: Piece) => boolean): Piece | undefined {
    return [...this.running].find(condition);
  }

  private makeRoom(): void {
    this.runs((piece) => piece.overdue && !piece.slow)?.attempt.abort();
  }

  private async run(piece: Piece): Promise<void> {
    this.running.add(piece);
    this.turns.set(piece.user, ++this.turn);
    const { signal } = (piece.attempt = new AbortController());
    const timer = this.patience < Infinity ? setTimeout(() => this.losePatience(piece), this.patience) : undefined;
    try {
      await piece.work(signal);
    } catch (error) {
      if (signal.aborted) this.waiting.push(Object.assign(piece, { slow: true }));
      else piece.reject(error);
    }
    clearTimeout(timer);
    this.running.delete(piece);
    const isBusy = (other: Piece) => other.user === piece.user;
    if (!this.waiting.some(isBusy)) this.turns.delete(piece.user);
    this.fill();
  }

  private losePatience(piece: Piece): void {
    piece.overdue = true;
    this.fill();
  }
}
