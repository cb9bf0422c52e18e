/** A change of how a user signs in. */
export type SignInChange =
  | "password"
  /** With a link from an e-mail. */
  | "password_reset"
  | "email"
  /** With the link that the new address got. */
  | "email_confirmed"
  | "email_removed"
  | "passkey_added"
  | "passkey_removed"
  | "codes_on"
  | "codes_off"
  | "recovery_codes"
  | "identity_linked"
  | "identity_unlinked";

/**
 * An e-mail to a user. It names the user, and what the rows won't have any more when it is sent. Its text and its link are
 * made then, so that no secret is stored.
 */
export type MailOrder =
  /** The link that confirms an address. */
  | { type: "confirm"; userId: number }
  /** The link for a new password, if there is a user with this name or address. */
  | { type: "password_reset"; login: string }
  /**
   * A change of how the user signs in, by a browser with this IP address. `to` is the e-mail address before the change, `wanted`
   * that after it, if that is the change.
   */
  | { type: "sign_in_change"; userId: number; change: SignInChange; to: string; address: string; wanted: string }
  /** A sign-in from a browser that the user has not used before. */
  | { type: "new_browser"; userId: number; aboutId: number };
