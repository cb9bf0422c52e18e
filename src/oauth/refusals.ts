export type OAuthError =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type";

const STATUS: Record<OAuthError, number> = {
  invalid_request: 400,
  invalid_client: 401,
  invalid_grant: 400,
  invalid_scope: 400,
  unauthorized_client: 403,
  unsupported_grant_type: 400,
};

/** An OAuth error response (RFC 6749, section 5.2): a code for the app, and a description for its developers. */
export class OAuthRefusal extends Error {
  override readonly name = "OAuthRefusal";

  constructor(
    readonly error: OAuthError,
    description: string,
    private readonly headers: Record<string, string> = {},
  ) {
    super(description);
  }

  /** `description` is the translated message. */
  toResponse(description: string): Response {
    const headers = { "cache-control": "no-store", pragma: "no-cache", ...this.headers };
    return Response.json(
      { error: this.error, error_description: description },
      { status: STATUS[this.error], headers },
    );
  }
}
