/** @jsxImportSource preact */
import { signIn } from "../core/users.ts";
import { addressKey } from "../lib/addresses.ts";
import { parseQuery, searchOf } from "../lib/params.ts";
import type { Rate } from "../lib/rates.ts";
import { findApp } from "../oauth/apps.ts";
import { Alert, Field, Head, Hidden } from "./layout.tsx";
import { waitFor, type Pages } from "./pages.tsx";
import type { Visit } from "./visit.tsx";

export const AUTHORIZE = "/oauth/authorize";
export const APPS = "/settings/apps";

/** Longer than any name or e-mail address is. */
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
    const rate = countTry(visit, login);
    if (rate?.exceeded) {
      const { minutes, headers } = waitFor(visit, rate);
      return signInPage(visit, { returnTo, login, status: 429, headers, problem: words.tooManyTries(minutes) });
    }
    const user = await signIn(visit.ctx, login, visit.text("password"));
    if (!user) return signInPage(visit, { returnTo, login, status: 422, wrong: true });
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
  /** Where to go afterwards: a path of ours. */
  returnTo: string;
  login?: string;
  status?: number;
  headers?: Record<string, string>;
  problem?: string;
  /** The name and password don't belong together. */
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

/** A path of ours to go on to; the start page for anything else, so that a link can't lead away from here. */
function ourAddress(wanted: string): string {
  if (wanted === APPS) return wanted;
  const prefix = `${AUTHORIZE}?`;
  // Put together anew, since a header holds nothing but ASCII.
  return wanted.startsWith(prefix) ? prefix + new URLSearchParams(wanted.slice(prefix.length)) : "/";
}

/**
 * Counts a try, for the network it comes from and for the name it tries: passwords can be guessed from many networks.
 * Whoever is signed in with that name here already is not held up by what strangers try.
 */
function countTry(visit: Visit, login: string): Rate | null {
  const { rates, clock } = visit.ctx;
  if (!rates) return null;
  const now = clock.now();
  const byAddress = rates.sign_in.take(`address ${addressKey(visit.address)}`, now);
  const name = login.trim().toLowerCase().replace(/^@/, "");
  if (byAddress.exceeded || name === visit.session?.username.toLowerCase()) return byAddress;
  return rates.sign_in.take(`name ${name}`, now);
}
