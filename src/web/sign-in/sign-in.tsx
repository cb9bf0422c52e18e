/** @jsxImportSource preact */
import { findLogin, type Login } from "../../core/sign-in/logins.ts";
import { isPasswordOf } from "../../core/sign-in/passwords.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { parseQuery, searchOf } from "../../lib/http/params.ts";
import type { Rate } from "../../lib/rates.ts";
import { findApp } from "../../oauth/apps.ts";
import { Field, Hidden } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import { waitFor } from "../page/error-pages.tsx";
import type { Pages } from "../page/page-routes.ts";
import type { PageRequest } from "../page/page-request.tsx";

export const AUTHORIZE = "/oauth/authorize";
export const APPS = "/settings/apps";
export const INTERACTION = "/authorize_interaction";

/** Longer than any name or e-mail address. */
const MAX_LOGIN = 320;

/** Signing in, for an app or for the pages themselves, and signing out. */
export function signInPages(pages: Pages): void {
  pages.get("/sign-in", (page) => signInPage(page, { returnTo: "/" }));

  pages.post("/sign-in", async (page) => {
    const { messages } = page;
    const returnTo = safeReturnPath(page, page.text("return_to"));
    const login = page.text("login").slice(0, MAX_LOGIN);
    if (!page.isFormValid()) {
      return signInPage(page, { returnTo, login, status: 403, problem: messages.cookiesNeeded });
    }
    const found = findLogin(page.ctx, login);
    const counted = countAttempt(page, found);
    if (counted.refused) {
      logFailure(page, found, "too_many");
      const { minutes, headers } = waitFor(page, counted.refused);
      return signInPage(page, { returnTo, login, status: 429, headers, problem: messages.tooManyAttempts(minutes) });
    }
    const { user } = found;
    if (!(await isPasswordOf(page.ctx, user, page.text("password"))) || !user) {
      logFailure(page, found, "password");
      return signInPage(page, { returnTo, login, status: 422, wrong: true });
    }
    counted.giveBack();
    if (!user.approved) return signInPage(page, { returnTo, login, status: 403, problem: messages.pendingApproval });
    if (user.shut_out) return signInPage(page, { returnTo, login, status: 403, problem: messages.signInDisabled });
    page.signIn(user.id);
    return page.redirect(returnTo);
  });

  pages.post("/sign-out", (page) => {
    if (page.isFormValid()) page.signOut();
    return page.redirect("/");
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

export function signInPage(page: PageRequest, { returnTo, login = "", wrong, ...options }: SignIn): Response {
  const { messages } = page;
  const clientId = parseQuery(searchOf(returnTo))["client_id"];
  const app = typeof clientId === "string" ? findApp(page.ctx, clientId) : null;
  const title = app ? messages.signInFor(app.name) : messages.signIn;
  const hidden = { csrf: page.csrfToken(), return_to: returnTo, lang: page.lang };
  return page.render(
    { status: options.status, headers: options.headers, title, isFocused: true },
    <>
      <Head title={title} />
      {options.problem && <Alert>{options.problem}</Alert>}
      <form method="post" action="/sign-in">
        <Hidden values={hidden} />
        <Field
          name="login"
          label={messages.nameOrEmail}
          value={login}
          autocomplete="username"
          maxLength={MAX_LOGIN}
          required
          autofocus={login === ""}
        />
        <Field
          name="password"
          label={messages.password}
          type="password"
          autocomplete="current-password"
          error={wrong ? messages.wrongPassword : null}
          required
          autofocus={login !== ""}
        />
        <button class="primary">{messages.signIn}</button>
      </form>
      {wrong && (
        <p class="help">
          {messages.forgotPassword} <code>linnet user reset-password</code>
        </p>
      )}
    </>,
  );
}

/** A path on this server; the start page for anything else, so that a link can't lead to another site. */
function safeReturnPath(page: PageRequest, wanted: string): string {
  const { origin } = new URL(page.ctx.config.origin);
  const start = wanted.indexOf("?");
  const path = start === -1 ? wanted : wanted.slice(0, start);
  // Browsers read a backslash as a slash, as URL does, and two slashes as the start of another host.
  const url = path.startsWith("/") ? URL.parse(path, origin) : null;
  if (url?.origin !== origin || url.pathname.startsWith("//")) return "/";
  // Encoded again, since a header may contain only ASCII.
  return start === -1 ? url.pathname : `${url.pathname}?${new URLSearchParams(wanted.slice(start + 1))}`;
}

/**
 * Counts a sign-in attempt before the password is checked, so that concurrent attempts count too; `giveBack` is for an
 * attempt that succeeds. Attempts count for their network and for the user, since passwords can be guessed from many
 * networks. A browser that has signed in before is counted separately instead.
 */
function countAttempt(page: PageRequest, { user, key }: Login): { refused: Rate | null; giveBack: () => void } {
  const { rates, clock } = page.ctx;
  if (!rates) return { refused: null, giveBack: () => {} };
  const now = clock.now();
  const browser = user && page.knownBrowser(user.id);
  const keys = browser ? [`browser ${browser}`] : [`address ${addressKey(page.address)}`, key];
  const refused = keys.map((each) => rates.sign_in.look(each, now)).find(({ exceeded }) => exceeded) ?? null;
  if (!refused) for (const each of keys) rates.sign_in.take(each, now);
  return { refused, giveBack: () => keys.forEach((each) => rates.sign_in.giveBack(each, now)) };
}

/**
 * Programs such as fail2ban read this line: docs/deployment.md has a filter for it. The name is logged only for existing
 * users, since people sometimes type their password into its field.
 */
function logFailure(page: PageRequest, { user }: Login, reason: "password" | "too_many"): void {
  const { address, ctx } = page;
  if (user) {
    const { username } = user;
    ctx.log.info("Sign-in failed: address={address} reason={reason} user={user}", { address, reason, user: username });
  } else {
    ctx.log.info("Sign-in failed: address={address} reason={reason}", { address, reason });
  }
}
