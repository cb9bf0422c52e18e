/**
 * An e-mail to a user. It names the user, and what the rows won't have any more when it is sent. Its text and its link are
 * made then, so that no secret is stored.
 */
export type MailOrder =
  /** The link that confirms an address. */
  | { type: "confirm"; userId: number }
  /** Tells the previous address of a change. */
  | { type: "address_change"; userId: number; previous: string }
  /** The link for a new password, if there is a user with this name or address. */
  | { type: "password_reset"; login: string }
  | { type: "password_changed"; userId: number }
  /** A sign-in from a browser that the user has not used before. */
  | { type: "new_browser"; userId: number; aboutId: number };
