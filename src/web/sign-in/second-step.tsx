/** @jsxImportSource preact */
import { awaitsConfirmation } from "../../core/people/users.ts";
import type { LoginRow } from "../../core/sign-in/logins.ts";
import { checkPasskey, requestOptions, type Ceremony } from "../../core/sign-in/passkeys.ts";
import { endSecondStep } from "../../core/sign-in/pending.ts";
import { checkTyped, hasSecondFactor, secondFactorsOf } from "../../core/sign-in/second-factors.ts";
import type { Tx } from "../../db/open.ts";
import { passkeyScript } from "../assets.ts";
import { mailTexts } from "../mail/texts.ts";
import { waitFor } from "../page/error-pages.tsx";
import { Field, Hidden } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { countSecondStep, logFailure } from "./attempts.ts";
import { PasskeyForm } from "./passkey-form.tsx";
import { safeReturnPath } from "../page/return-path.ts";
import { AUTHORIZE } from "./paths.ts";
import { signInTexts } from "./texts.ts";

const SECOND_STEP = "/sign-in/second-step";
const MAX_TYPED = 100;

/**
 * Continues after the first factor of a sign-in: asks for the second, or signs the user in. Every way to sign in leads
 * through here, except a passkey, which is both. `isProof`: whether the first factor is enough for sensitive pages.
 */
export function continueSignIn(page: PageRequest, user: LoginRow, returnTo: string, isProof = true): Response {
  if (!hasSecondFactor(page.ctx.db, user.id)) return finishSignIn(page, user, returnTo, isProof);
  page.beginSecondStep(user.id);
  const query = new URLSearchParams({ return_to: returnTo, ...(page.lang && { lang: page.lang }) });
  return page.redirect(`${SECOND_STEP}?${query}`);
}

/** Signs a user in who has shown enough. */
export function finishSignIn(page: PageRequest, user: LoginRow, returnTo: string, isProof = true): Response {
  page.signIn(user.id, { isProof: isProof && !returnTo.startsWith(AUTHORIZE) });
  return page.redirect(returnTo);
}

/** Why a user may not sign in, whatever they show; null if they may. */
export function signInRefusal(page: PageRequest, user: LoginRow): string | null {
  if (awaitsConfirmation(user)) return page.texts(mailTexts).confirmFirst;
  if (!user.approved) return page.messages.pendingApproval;
  return user.shut_out ? page.messages.signInDisabled : null;
}

/** The page that asks for a code or a passkey after the password. */
export function secondStepPages(pages: Pages): void {
  pages.get(SECOND_STEP, (page) => {
    const pending = page.pendingSignIn();
    return pending ? secondStepPage(page, pending.user) : expired(page);
  });

  pages.post(SECOND_STEP, async (page) => {
    const pending = page.pendingSignIn();
    if (!pending) return expired(page);
    const { user, secret } = pending;
    if (!page.isFormValid()) return secondStepPage(page, user, { status: 403, problem: page.messages.formExpired });
    const refusal = signInRefusal(page, user);
    if (refusal) return secondStepPage(page, user, { status: 403, problem: refusal });
    const attempt = countSecondStep(page, user);
    if (attempt.refused) {
      logFailure(page, user, "too_many");
      const { minutes, headers } = waitFor(page, attempt.refused);
      return secondStepPage(page, user, { status: 429, headers, problem: page.messages.tooManyAttempts(minutes) });
    }
    const proof = await proofIn(page, user.id);
    const returnTo = safeReturnPath(page.ctx, page.text("return_to"));
    if ("redeem" in proof) {
      const response = page.ctx.db.transaction((tx) => {
        if (!proof.redeem(tx)) return null;
        endSecondStep(tx, secret);
        return finishSignIn(page, user, returnTo);
      });
      if (response) {
        attempt.giveBack();
        return response;
      }
    }
    logFailure(page, user, "second_step");
    return secondStepPage(page, user, { status: 422, ...refusalOf(page, proof) });
  });
}

/** Starts again with the password. */
function expired(page: PageRequest): Response {
  const query = new URLSearchParams({ expired: "1", return_to: safeReturnPath(page.ctx, page.text("return_to")) });
  return page.redirect(`/sign-in?${query}`);
}

type Proof = { redeem(tx: Tx): boolean } | { problem: "expired" | "refused" };

async function proofIn(page: PageRequest, userId: number): Promise<Proof> {
  const answer = page.text("passkey");
  if (answer !== "") return checkPasskey(page.ctx, ceremonyOf(page), userId, answer);
  const redeem = await checkTyped(page.ctx, userId, page.text("code").slice(0, MAX_TYPED));
  return redeem ? { redeem } : { problem: "refused" };
}

function refusalOf(page: PageRequest, proof: Proof): Partial<Shown> {
  const texts = page.texts(signInTexts);
  if (page.text("passkey") === "") return { wrong: true };
  const hasExpired = "problem" in proof && proof.problem === "expired";
  return { passkeyProblem: hasExpired ? texts.passkeyExpired : texts.passkeyFailed };
}

interface Shown {
  status?: number;
  headers?: Record<string, string>;
  problem?: string;
  /** The code was wrong. */
  wrong?: boolean;
  passkeyProblem?: string;
}

function ceremonyOf(page: PageRequest): Ceremony {
  return { purpose: "second-step", browser: page.csrfToken() };
}

function secondStepPage(page: PageRequest, user: LoginRow, shown: Shown = {}): Response {
  const { messages, ctx } = page;
  const texts = page.texts(signInTexts);
  const { codes, passkeys } = secondFactorsOf(ctx.db, user.id);
  const returnTo = safeReturnPath(page.ctx, page.text("return_to"));
  return page.render(
    {
      status: shown.status,
      headers: shown.headers,
      title: texts.secondStepTitle,
      isFocused: true,
      scripts: passkeys.length > 0 ? [passkeyScript] : [],
    },
    <>
      <Head title={texts.secondStepTitle}>
        <p>@{user.username}</p>
      </Head>
      {shown.problem && <Alert>{shown.problem}</Alert>}
      {passkeys.length > 0 && (
        <>
          <PasskeyForm
            page={page}
            action={SECOND_STEP}
            options={requestOptions(ctx, ceremonyOf(page), user.id)}
            label={texts.usePasskey}
            problem={shown.passkeyProblem}
            hidden={{ return_to: returnTo }}
            isPrimary={!codes}
          />
          <noscript>
            <p class="help">{texts.passkeysNeedScript}</p>
          </noscript>
        </>
      )}
      <form method="post" action={SECOND_STEP}>
        <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo, lang: page.lang }} />
        <Field
          name="code"
          label={codes ? texts.code : texts.recoveryCode}
          autocomplete={codes ? "one-time-code" : "off"}
          help={codes ? texts.codeOrRecoveryCode : texts.recoveryCodeHelp}
          error={shown.wrong ? texts.wrongCode : null}
          maxLength={MAX_TYPED}
          required
          autofocus={codes}
        />
        <button class={codes ? "primary" : undefined}>{messages.signIn}</button>
      </form>
      <p class="help">
        {texts.lostSecondFactor} <code>linnet user remove-second-factors …</code>
      </p>
    </>,
  );
}
