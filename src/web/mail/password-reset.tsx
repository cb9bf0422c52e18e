/** @jsxImportSource preact */
import { sendsMail } from "../../core/mail/mail-queue.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import { isResetLink, requestPasswordReset, resetWithLink } from "../../oauth/password-resets.ts";
import { waitFor } from "../page/error-pages.tsx";
import {
  Checkbox,
  expiredForm,
  Field,
  Form,
  Hidden,
  NO_PROBLEMS,
  problemsOf,
  type FormProblems,
} from "../page/forms.tsx";
import { Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { brokenLinkPage } from "./broken-link.tsx";
import { mailTexts } from "./texts.ts";

export const PASSWORD_RESET = "/password-reset";
const NEW_PASSWORD = `${PASSWORD_RESET}/new`;
/** Longer than any name or e-mail address. */
const MAX_LOGIN = 320;

/** The pages for users who have forgotten their password. */
export function passwordResetPages(pages: Pages): void {
  // Without sign-in by password, a new one would be of no use.
  if (!pages.ctx.config.passwordSignIn) return;

  pages.get(PASSWORD_RESET, (page) => (sendsMail(page.ctx) ? requestPage(page) : noMailPage(page)));

  pages.post(PASSWORD_RESET, (page) => {
    if (!sendsMail(page.ctx)) return noMailPage(page);
    if (!page.isFormValid()) return requestPage(page, expiredForm(page));
    const rate = page.ctx.rates?.sign_in.take(`reset ${addressKey(page.address)}`, page.ctx.clock.now());
    if (rate?.exceeded) {
      const { minutes, headers } = waitFor(page, rate);
      return requestPage(page, { fields: {}, status: 429, problem: page.messages.tooManyRequests(minutes) }, headers);
    }
    requestPasswordReset(page.ctx, page.text("login").trim().slice(0, MAX_LOGIN));
    return sentPage(page);
  });

  pages.get(NEW_PASSWORD, (page) =>
    isResetLink(page.ctx, page.text("token")) ? newPasswordPage(page) : brokenLinkPage(page, PASSWORD_RESET),
  );

  pages.post(NEW_PASSWORD, async (page) => {
    const secret = page.text("token");
    if (!isResetLink(page.ctx, secret)) return brokenLinkPage(page, PASSWORD_RESET);
    if (!page.isSameOrigin()) return newPasswordPage(page, expiredForm(page));
    try {
      const [password, signOut] = [page.text("password"), page.isChecked("sign_out")];
      const isSet = await resetWithLink(page.ctx, { secret, password, signOut, address: page.address });
      return isSet ? passwordSetPage(page) : brokenLinkPage(page, PASSWORD_RESET);
    } catch (error) {
      return newPasswordPage(page, problemsOf(page, error));
    }
  });
}

function requestPage(page: PageRequest, problems = NO_PROBLEMS, headers: Record<string, string> = {}): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { status: problems.status, headers, title: texts.resetTitle, isFocused: true },
    <>
      <Head title={texts.resetTitle}>
        <p>{texts.resetIntro}</p>
      </Head>
      <Form page={page} action={PASSWORD_RESET} problems={problems}>
        <Field
          name="login"
          label={page.messages.nameOrEmail}
          value={page.text("login")}
          autocomplete="username"
          maxLength={MAX_LOGIN}
          required
          autofocus
        />
        <button class="primary">{texts.sendLink}</button>
      </Form>
    </>,
  );
}

function noMailPage(page: PageRequest): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { title: texts.forgotPassword, isFocused: true },
    <Head title={texts.forgotPassword}>
      <p>
        {texts.noMail} <code>linnet user reset-password</code>
      </p>
    </Head>,
  );
}

/** The same for every name, whether or not there is such a user. */
function sentPage(page: PageRequest): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { title: texts.linkSentTitle, isFocused: true },
    <Head title={texts.linkSentTitle}>
      <p>{texts.linkSent}</p>
      <p class="help">{texts.noLinkYet}</p>
    </Head>,
  );
}

function newPasswordPage(page: PageRequest, problems: FormProblems = NO_PROBLEMS): Response {
  const texts = page.texts(mailTexts);
  const isAgain = page.request.method === "POST";
  return page.render(
    { status: problems.status, title: texts.resetTitle, isFocused: true },
    <>
      <Head title={texts.resetTitle} />
      <Form page={page} action={NEW_PASSWORD} problems={problems}>
        <Hidden values={{ token: page.text("token") }} />
        <Field
          name="password"
          label={texts.newPassword}
          type="password"
          autocomplete="new-password"
          help={page.messages.passwordHelp}
          error={problems.fields["password"] ?? null}
          minLength={8}
          required
          autofocus
        />
        <Checkbox
          name="sign_out"
          label={texts.signOutEverywhere}
          help={texts.signOutEverywhereHelp}
          checked={!isAgain || page.isChecked("sign_out")}
        />
        <button class="primary">{texts.setPassword}</button>
      </Form>
    </>,
  );
}

function passwordSetPage(page: PageRequest): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { title: texts.passwordSetTitle, isFocused: true },
    <>
      <Head title={texts.passwordSetTitle}>
        <p>{texts.passwordSet}</p>
      </Head>
      <a class="button primary" href="/sign-in">
        {page.messages.signIn}
      </a>
    </>,
  );
}
