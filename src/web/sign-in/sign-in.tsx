/** @jsxImportSource preact */
import { hasUsers } from "../../core/people/users.ts";
import { findLogin, loginOfUser } from "../../core/sign-in/logins.ts";
import { isPasswordOf } from "../../core/sign-in/passwords.ts";
import { checkPasskey, offersPasskeys, requestOptions, type Ceremony } from "../../core/sign-in/passkeys.ts";
import { parseQuery, searchOf } from "../../lib/http/params.ts";
import { findApp } from "../../oauth/apps.ts";
import { passkeyScript } from "../assets.ts";
import { PASSWORD_RESET } from "../mail/password-reset.tsx";
import { mailTexts } from "../mail/texts.ts";
import { Field, Hidden } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import { waitFor } from "../page/error-pages.tsx";
import type { Pages } from "../page/page-routes.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { countPasskey, countSignIn, logFailure } from "./attempts.ts";
import { PasskeyForm } from "./passkey-form.tsx";
import { safeReturnPath } from "../page/return-path.ts";
import { ProviderButtons } from "../providers/buttons.tsx";
import { providerTexts } from "../providers/texts.ts";
import { continueSignIn, finishSignIn, secondStepPages, signInRefusal } from "./second-step.tsx";
import { signInTexts } from "./texts.ts";

/** Longer than any name or e-mail address. */
const MAX_LOGIN = 320;

/** Signing in, for an app or for the pages themselves, and signing out. */
export function signInPages(pages: Pages): void {
  pages.get("/sign-in", (page) => {
    const problem = page.text("expired") === "" ? {} : { problem: page.texts(signInTexts).secondStepExpired };
    return signInPage(page, { returnTo: safeReturnPath(page.ctx, page.text("return_to")), ...problem });
  });
  pages.post("/sign-in", signInByPassword);
  pages.post("/sign-in/passkey", signInByPasskey);
  secondStepPages(pages);

  pages.post("/sign-out", (page) => {
    if (page.isFormValid()) page.signOut();
    return page.redirect("/");
  });
}

async function signInByPassword(page: PageRequest): Promise<Response> {
  const { messages } = page;
  const returnTo = safeReturnPath(page.ctx, page.text("return_to"));
  const login = page.text("login").slice(0, MAX_LOGIN);
  if (!page.isFormValid()) {
    return signInPage(page, { returnTo, login, status: 403, problem: messages.cookiesNeeded });
  }
  if (!page.ctx.config.passwordSignIn) {
    return signInPage(page, { returnTo, status: 403, problem: page.texts(providerTexts).passwordsOff });
  }
  const found = findLogin(page.ctx, login);
  const { user } = found;
  const attempt = countSignIn(page, found);
  if (attempt.refused) {
    logFailure(page, user, "too_many");
    const { minutes, headers } = waitFor(page, attempt.refused);
    return signInPage(page, { returnTo, login, status: 429, headers, problem: messages.tooManyAttempts(minutes) });
  }
  if (!(await isPasswordOf(page.ctx, user, page.text("password"))) || !user || attempt.mustFail) {
    logFailure(page, user, attempt.mustFail ? "too_many" : "password");
    return signInPage(page, { returnTo, login, status: 422, wrong: true });
  }
  attempt.giveBack();
  const refusal = signInRefusal(page, user);
  if (refusal) return signInPage(page, { returnTo, login, status: 403, problem: refusal });
  return continueSignIn(page, user, returnTo);
}

/** A passkey names its user, and proves both what they have and what they know or are: nothing else is asked. */
async function signInByPasskey(page: PageRequest): Promise<Response> {
  const { messages, ctx } = page;
  const texts = page.texts(signInTexts);
  const returnTo = safeReturnPath(page.ctx, page.text("return_to"));
  if (!page.isFormValid()) return signInPage(page, { returnTo, status: 403, problem: messages.cookiesNeeded });
  const attempt = countPasskey(page);
  if (attempt.refused) {
    logFailure(page, null, "too_many");
    const { minutes, headers } = waitFor(page, attempt.refused);
    return signInPage(page, { returnTo, status: 429, headers, problem: messages.tooManyAttempts(minutes) });
  }
  const proof = await checkPasskey(ctx, ceremonyOf(page), null, page.text("passkey"));
  if ("problem" in proof) {
    if (proof.problem === "refused") logFailure(page, null, "passkey");
    const passkeyProblem = proof.problem === "expired" ? texts.passkeyExpired : texts.passkeyFailed;
    return signInPage(page, { returnTo, status: 422, passkeyProblem });
  }
  attempt.giveBack();
  const user = loginOfUser(ctx, proof.userId)!;
  const refusal = signInRefusal(page, user);
  if (refusal) return signInPage(page, { returnTo, status: 403, problem: refusal });
  const response = ctx.db.transaction((tx) => (proof.redeem(tx) ? finishSignIn(page, user, returnTo) : null));
  return response ?? signInPage(page, { returnTo, status: 422, passkeyProblem: texts.passkeyFailed });
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
  passkeyProblem?: string;
}

function ceremonyOf(page: PageRequest): Ceremony {
  return { purpose: "sign-in", browser: page.csrfToken() };
}

export function signInPage(page: PageRequest, { returnTo, login = "", wrong, ...options }: SignIn): Response {
  // The start page says how to add the first user.
  if (!hasUsers(page.ctx)) return page.redirect("/");
  const { messages } = page;
  const texts = page.texts(signInTexts);
  const clientId = parseQuery(searchOf(returnTo))["client_id"];
  const app = typeof clientId === "string" ? findApp(page.ctx, clientId) : null;
  const title = app ? messages.signInFor(app.name) : messages.signIn;
  const hasPasskeys = offersPasskeys(page.ctx);
  return page.render(
    {
      status: options.status,
      headers: options.headers,
      title,
      isFocused: true,
      asksTimeZone: true,
      scripts: hasPasskeys ? [passkeyScript] : [],
    },
    <>
      <Head title={title} />
      {options.problem && <Alert>{options.problem}</Alert>}
      {page.ctx.config.passwordSignIn && <PasswordForm page={page} returnTo={returnTo} login={login} wrong={wrong} />}
      {hasPasskeys && (
        <PasskeyForm
          page={page}
          action="/sign-in/passkey"
          options={requestOptions(page.ctx, ceremonyOf(page), null)}
          label={texts.signInWithPasskey}
          problem={options.passkeyProblem}
          hidden={{ return_to: returnTo }}
          suggest
        />
      )}
      <ProviderButtons page={page} returnTo={returnTo} />
      <Forgotten page={page} />
    </>,
  );
}

function PasswordForm(props: { page: PageRequest; returnTo: string; login: string; wrong: boolean | undefined }) {
  const { page, returnTo, login, wrong } = props;
  return (
    <form method="post" action="/sign-in">
      <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo, lang: page.lang }} />
      <Field
        name="login"
        label={page.messages.nameOrEmail}
        value={login}
        autocomplete={offersPasskeys(page.ctx) ? "username webauthn" : "username"}
        maxLength={MAX_LOGIN}
        required
        autofocus={login === ""}
      />
      <Field
        name="password"
        label={page.messages.password}
        type="password"
        autocomplete="current-password"
        error={wrong ? page.messages.wrongPassword : null}
        required
        autofocus={login !== ""}
      />
      <button class="primary">{page.messages.signIn}</button>
    </form>
  );
}

/** Where to go without the password, or any other way to sign in. */
function Forgotten({ page }: { page: PageRequest }) {
  if (!page.ctx.config.passwordSignIn) {
    return (
      <p class="help">
        {page.texts(providerTexts).passwordsOffHelp} <code>linnet user sign-in-link</code>
      </p>
    );
  }
  const query = page.lang ? `?${new URLSearchParams({ lang: page.lang })}` : "";
  return (
    <p>
      <a href={PASSWORD_RESET + query}>{page.texts(mailTexts).forgotPassword}</a>
    </p>
  );
}
