import type { Logger } from "../log.ts";
import { requestAddress } from "./params.ts";

/**
 * Logs requests: failures (5xx) as errors, the rest for debugging. Never logs a query string (which may contain a
 * token), what follows one of `secretPaths`, a header, a body or the client's address.
 */
export class RequestLog {
  private readonly starts = new WeakMap<Request, { at: number; id: string }>();
  private readonly users = new WeakMap<Request, number>();

  constructor(
    private readonly log: Logger,
    private readonly secretPaths: readonly string[],
  ) {}

  /** `id` is the X-Request-Id of the response. */
  start(request: Request, id: string): void {
    this.starts.set(request, { at: performance.now(), id });
  }

  /** Notes the user who makes a request. */
  identify(request: Request, userId: number): void {
    this.users.set(request, userId);
  }

  /** Logs a request, once. `error` says why it failed: a sentence, or a stack. */
  end(request: Request, status: number, error?: string): void {
    const start = this.starts.get(request);
    if (start === undefined) return;
    this.starts.delete(request);
    const fields = {
      method: request.method,
      path: this.pathOf(request),
      status,
      duration_ms: Math.round((performance.now() - start.at) * 10) / 10,
      user_id: this.users.get(request) ?? null,
      request_id: start.id,
    };
    const text = "{method} {path} {status} in {duration_ms} ms";
    if (status < 500) this.log.debug(text, fields);
    else if (error === undefined) this.log.error(text, fields);
    else this.log.error(`${text}: {error}`, { ...fields, error });
  }

  private pathOf(request: Request): string {
    const { pathname } = requestAddress(request.url);
    const secret = this.secretPaths.find((path) => pathname.startsWith(path));
    return secret === undefined ? pathname : `${secret}…`;
  }
}
