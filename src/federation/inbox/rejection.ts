/** Why a request of another server is rejected, as an HTTP status with a sentence for its log. */
export class Rejection extends Error {
  override readonly name = "Rejection";

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 410 | 413 | 429 | 503,
    message: string,
    /** Seconds until another attempt may succeed. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }

  toResponse(): Response {
    const headers = this.retryAfter === null ? undefined : { "retry-after": String(this.retryAfter) };
    return Response.json({ error: this.message }, { status: this.status, headers });
  }
}
