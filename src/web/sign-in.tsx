/** @jsxImportSource preact */
import { findLogin, isPasswordOf, type Login } from "../core/people/sign-in.ts";
import { addressKey } from "../lib/http/addresses.ts";
import { parseQuery, searchOf } from "../lib/http/params.ts";
import type { Rate } from "../lib/rates.ts";
import { findApp } from "../oauth/apps.ts";
import { Alert, Field, Head, Hidden } from "./layout.tsx";
import { waitFor, type Pages } from "./pages.tsx";
import type { Visit } from "./visit.tsx";

export const AUTHORIZE = "/oauth/authorize";
export const APPS = "/settings/apps";

/** Longer than any name or e-mail address. */
const MAX_LOGIN = 320;

/** Signing in, for an app or for the pages themselves, and signing out. */
export function signInPages(pages: Pages): void {
  pages.get("/sign-in", (visit) => signInPage(visit, { returnTo: "/" }));

  pages.post("/sign-in", async (visit) => {
    const { words } = visit;
    const returnTo = ourAddress(visit.text("return_to"));
    const login = visit.text("login").slice(0, MAX_LOGIN);
    if (!visit.isFormOurs()) {
      return signInPage(visit, { returnTo, login, status: 403, problem: words.cookiesNeeded });
    }
    const found = findLogin(visit.ctx, login);
    const counted = countTry(visit, found);
    if (counted.refused) {
      logFailure(visit, found, "too_many");
      const { minutes, headers } = waitFor(visit, counted.refused);
      return signInPage(visit, { returnTo, login, status: 429, headers, problem: words.tooManyTries(minutes) });
    }
    const { user } = found;
    if (!(await isPasswordOf(visit.ctx, user, visit.text("password"))) || !user) {
      logFailure(visit, found, "password");
      return signInPage(visit, { returnTo, login, status: 422, wrong: true });
    }
    counted.giveBack();
    if (!user.approved) return signInPage(visit, { returnTo, login, status: 403, problem: words.pendingApproval });
    if (user.shut_out) return signInPage(visit, { returnTo, login, status: 403, problem: words.signInDisabled });
    visit.signIn(user.id);
    return visit.redirect(returnTo);
  });

  pages.post("/sign-out", (visit) => {
    if (visit.isFormOurs()) visit.signOut();
    return visit.redirect("/");
  });
}

interface SignIn {
  /** Where to go afterwards: a path on this server. */
  returnTo: string;
  login?: string;
  status?: number;
  headers?: Record<string, string>;
  problem?: string;
  /** The name and password don't match. */
  wrong?: boolean;
}

export function signInPage(visit: Visit, { returnTo, login = "", wrong, ...options }: SignIn): Response {
  const { words } = visit;
  const clientId = parseQuery(searchOf(returnTo))["client_id"];
  const app = typeof clientId === "string" ? findApp(visit.ctx, clientId) : null;
  const title = app ? words.signInFor(app.name) : words.signIn;
  const hidden = { csrf: visit.csrfToken(), return_to: returnTo, lang: visit.lang };
  return visit.page(
    { status: options.status, headers: options.headers, title },
    <>
      <Head title={title} />
      {options.problem && <Alert>{options.problem}</Alert>}
      <form method="post" action="/sign-in">
        <Hidden values={hidden} />
        <Field
          name="login"
          label={words.nameOrEmail}
          value={login}
          autocomplete="username"
          maxLength={MAX_LOGIN}
          required
          autofocus={login === ""}
        />
        <Field
          name="password"
          label={words.password}
          type="password"
          autocomplete="current-password"
          error={wrong ? words.wrongPassword : null}
          required
          autofocus={login !== ""}
        />
        <button class="primary">{words.signIn}</button>
      </form>
      {wrong && (
        <p class="help">
          {words.forgotten} <code>linnet user reset-password</code>
        </p>
      )}
    </>,
  );
}

/** A known path on this server; the start page for anything else, so that a link can't lead to another site. */
function ourAddress(wanted: string): string {
  if (wanted === APPS) return wanted;
  const prefix = `${AUTHORIZE}?`;
  // Encoded again, since a header may contain only ASCII.
  return wanted.startsWith(prefix) ? prefix + new URLSearchParams(wanted.slice(prefix.length)) : "/";
}

/**
 * Counts a sign-in attempt before the password is checked, so that concurrent attempts count too; `giveBack` is for an
 * attempt that succeeds. Attempts count for their network and for the user, since passwords can be guessed from many
 * networks. A browser that has signed in before is counted separately instead.
 */
function countTry(visit: Visit, { user, key }: Login): { refused: Rate | null; giveBack: () => void } {
  const { rates, clock } = visit.ctx;
  if (!rates) return { refused: null, giveBack: () => {} };
  const now = clock.now();
  const browser = user && visit.knownBrowser(user.id);
  const keys = browser ? [`browser ${browser}`] : [`address ${addressKey(visit.address)}`, key];
  const refused = keys.map((each) => rates.sign_in.look(each, now)).find(({ exceeded }) => exceeded) ?? null;
  if (!refused) for (const each of keys) rates.sign_in.take(each, now);
  return { refused, giveBack: () => keys.forEach((each) => rates.sign_in.giveBack(each, now)) };
}

/**
 * Programs such as fail2ban read this line: docs/deployment.md has a filter for it. The name is logged only for existing
 * users, since people sometimes type their password into its field.
 */
function logFailure(visit: Visit, { user }: Login, reason: "password" | "too_many"): void {
  const { address, ctx } = visit;
  if (user) {
    const { username } = user;
    ctx.log.info("Sign-in failed: address={address} reason={reason} user={user}", { address, reason, user: username });
  } else {
    ctx.log.info("Sign-in failed: address={address} reason={reason}", { address, reason });
  }
}
