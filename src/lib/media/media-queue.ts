import { FairQueue, type User } from "../fair-queue.ts";
import { MediaProcesses, type Result, type TaskArguments, type TaskName } from "./media-processes.ts";

/** In milliseconds. With the start of a process, one user's image delays another user's by at most a second. */
const PATIENCE = 700;
const REQUESTS_AT_ONCE = 2;
const CONVERSIONS_AT_ONCE = 1;

/** A running conversion. */
export interface Conversion {
  /** Aborted when the server stops. The conversion should then end; the next start resumes it. */
  signal: AbortSignal;
  /** Runs a task in a media process, which is killed when the server stops. The errors are those of `MediaProcesses.run()`. */
  run<Name extends TaskName>(name: Name, ...args: TaskArguments<Name>): Promise<Result<Name>>;
}

/**
 * The queue of all media work. Requests, which a client waits for, have two places; conversions, which can take
 * minutes, have one. Both are fair between the users whose work waits here; jobs hand in one conversion at a time.
 */
export class MediaQueue {
  private readonly requests = new FairQueue(REQUESTS_AT_ONCE, PATIENCE);
  private readonly conversions = new FairQueue(CONVERSIONS_AT_ONCE, PATIENCE);
  private readonly converting = new Map<number, Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly processes = new MediaProcesses()) {}

  /** Runs a task in a media process for a request. The errors are those of `MediaProcesses.run()`. */
  run<Name extends TaskName>(user: User, name: Name, ...args: TaskArguments<Name>): Promise<Result<Name>> {
    return this.requests.take(user, (signal) => this.processes.run(name, args, signal));
  }

  /** Runs a conversion. If the one with this key is queued or running, returns its promise instead. */
  convert(user: User, key: number, work: (conversion: Conversion) => Promise<void>): Promise<void> {
    const pending = this.converting.get(key);
    if (pending) return pending;
    const conversion: Conversion = {
      signal: this.stopping.signal,
      run: (name, ...args) => this.processes.run(name, args, this.stopping.signal),
    };
    const ended = this.conversions.take(user, () => work(conversion)).finally(() => this.converting.delete(key));
    this.converting.set(key, ended);
    return ended;
  }

  /** Aborts conversions, because the server stops. Requests continue. */
  stop(): void {
    this.stopping.abort();
  }
}
