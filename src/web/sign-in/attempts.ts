import { countAttempt, type Attempt } from "../../core/sign-in/attempts.ts";
import type { Login, LoginRow } from "../../core/sign-in/logins.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import type { PageRequest } from "../page/page-request.tsx";

/**
 * Counts an attempt to sign in for its network, for the name that was typed and for its user, since passwords can be guessed
 * from many networks. The count of the user is hidden: otherwise wrong passwords for a name and then for an e-mail address
 * would tell whether both belong to one user. A browser that has signed in before is counted separately instead.
 */
export function countSignIn(page: PageRequest, { user, key }: Login): Attempt {
  const browser = user && page.knownBrowser(user.id);
  if (browser) return countAttempt(page.ctx, [`browser ${browser}`]);
  return countAttempt(page.ctx, [networkOf(page), key], user && `user ${user.id}`);
}

/** Counts an attempt at the second step, for its network and for the user, whose password it has. */
export function countSecondStep(page: PageRequest, user: LoginRow): Attempt {
  const browser = page.knownBrowser(user.id);
  const keys = browser ? [`browser ${browser}`] : [networkOf(page), `second step ${user.id}`];
  return countAttempt(page.ctx, keys);
}

/** Counts an attempt to sign in with a passkey, for its network only: nobody can guess one. */
export function countPasskey(page: PageRequest): Attempt {
  return countAttempt(page.ctx, [networkOf(page)]);
}

function networkOf({ address }: PageRequest): string {
  return `address ${addressKey(address)}`;
}

/**
 * Programs such as fail2ban read this line: docs/deployment.md has a filter for it. The name is logged only for existing
 * users, since people sometimes type their password into its field.
 */
export function logFailure(
  { address, ctx }: PageRequest,
  user: LoginRow | null,
  reason: "password" | "second_step" | "passkey" | "too_many",
): void {
  if (user) {
    const { username } = user;
    ctx.log.info("Sign-in failed: address={address} reason={reason} user={user}", { address, reason, user: username });
  } else {
    ctx.log.info("Sign-in failed: address={address} reason={reason}", { address, reason });
  }
}
