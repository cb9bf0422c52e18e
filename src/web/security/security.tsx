/** @jsxImportSource preact */
import { countProof } from "../../core/sign-in/proofs.ts";
import { isPasswordOf } from "../../core/sign-in/passwords.ts";
import { loginOfUser } from "../../core/sign-in/logins.ts";
import { offersPasskeys } from "../../core/sign-in/passkeys.ts";
import { secondFactorsOf, type SecondFactors } from "../../core/sign-in/second-factors.ts";
import { resetPassword } from "../../core/people/users.ts";
import { passkeyScript } from "../assets.ts";
import { waitFor } from "../page/error-pages.tsx";
import {
  ActionButton,
  Checkbox,
  Field,
  Form,
  NO_PROBLEMS,
  problemsOf,
  Username,
  type FormProblems,
} from "../page/forms.tsx";
import { Alert, Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { identityPages, IdentitySection } from "../providers/identities.tsx";
import { settingsPage } from "../settings/settings.tsx";
import { codesPages, CODES } from "./codes.tsx";
import { passkeyPages, PasskeySection } from "./passkeys.tsx";
import { recoveryPages, RECOVERY } from "./recovery.tsx";
import { securityTexts } from "./texts.ts";

const SECURITY = "/settings/security";
const PASSWORD = `${SECURITY}/password`;

/** The page where users change how they sign in. */
export function securityPages(pages: Pages): void {
  pages.userGet(SECURITY, (page) => securityPage(page), { isSensitive: true });
  pages.userPost(PASSWORD, { isSensitive: true, show: securityPage, submit: changePassword });
  codesPages(pages);
  passkeyPages(pages, securityPage);
  recoveryPages(pages, securityPage);
  identityPages(pages, securityPage);
}

/** Asks for the current password, although the user has just proved who they are: they must know it to change it. */
async function changePassword(page: UserPage): Promise<Response> {
  const { ctx, session, messages } = page;
  const attempt = countProof(ctx, session.userId);
  if (attempt.refused) {
    const { minutes } = waitFor(page, attempt.refused);
    return securityPage(page, { problem: messages.tooManyAttempts(minutes), fields: {}, status: 429 });
  }
  if (!(await isPasswordOf(ctx, loginOfUser(ctx, session.userId), page.text("current_password")))) {
    const wrong = page.texts(securityTexts).wrongCurrentPassword;
    return securityPage(page, { fields: { current_password: wrong }, status: 422 });
  }
  attempt.giveBack();
  try {
    await resetPassword(ctx, session.userId, page.text("password"), {
      keeps: page.isChecked("sign_out_others") ? session.id : "all",
      address: page.address,
    });
  } catch (error) {
    return securityPage(page, problemsOf(page, error));
  }
  page.rememberBrowser(session.userId);
  return page.redirect(`${SECURITY}?done=passwordChanged`);
}

/** The messages of redirects to the page. */
const DONE = ["passwordChanged", "codesTurnedOff", "passkeyRenamed", "passkeyRemoved"] as const;

function securityPage(page: UserPage, problems: FormProblems = NO_PROBLEMS): Response {
  const texts = page.texts(securityTexts);
  const factors = secondFactorsOf(page.ctx.db, page.session.userId);
  const done = DONE.find((each) => each === page.text("done"));
  const hasPasskeys = offersPasskeys(page.ctx);
  return settingsPage(
    page,
    { title: texts.securityTitle, status: problems.status, scripts: hasPasskeys ? [passkeyScript] : [] },
    <>
      {done && <Notice>{texts[done]}</Notice>}
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <p>{texts.securityHelp}</p>
      <CodesSection page={page} factors={factors} />
      {hasPasskeys && <PasskeySection page={page} factors={factors} problems={problems} />}
      {(factors.codes || factors.passkeys.length > 0) && <RecoverySection page={page} factors={factors} />}
      <IdentitySection page={page} />
      <PasswordSection page={page} problems={problems} />
    </>,
  );
}

function CodesSection({ page, factors }: { page: UserPage; factors: SecondFactors }) {
  const texts = page.texts(securityTexts);
  return (
    <section class="stack">
      <h2>{texts.codesTitle}</h2>
      <p>{texts.codesHelp}</p>
      {factors.codes ? (
        <div class="entry">
          <strong>{texts.codesOn}</strong>
          <a class="button small" href={`${CODES}/off`}>
            {texts.codesTurnOff}
          </a>
        </div>
      ) : (
        <a class="button small" href={CODES}>
          {texts.codesSetUp}
        </a>
      )}
    </section>
  );
}

function RecoverySection({ page, factors }: { page: UserPage; factors: SecondFactors }) {
  const texts = page.texts(securityTexts);
  return (
    <section class="stack">
      <h2>{texts.recoveryTitle}</h2>
      <p>{texts.recoveryHelp}</p>
      <p>
        <strong>{texts.recoveryLeft(factors.recoveryCodes)}</strong>
      </p>
      <ActionButton page={page} action={RECOVERY}>
        {texts.recoveryRenew}
      </ActionButton>
    </section>
  );
}

function PasswordSection({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const { messages } = page;
  const texts = page.texts(securityTexts);
  const wasSent = page.params["current_password"] !== undefined;
  return (
    <section class="stack">
      <h2>{messages.password}</h2>
      <Form page={page} action={PASSWORD}>
        <Username name={page.session.username} />
        <Field
          name="current_password"
          type="password"
          label={texts.currentPassword}
          autocomplete="current-password"
          error={problems.fields["current_password"] ?? null}
          required
        />
        <Field
          name="password"
          type="password"
          label={texts.newPassword}
          autocomplete="new-password"
          help={messages.passwordHelp}
          error={problems.fields["password"] ?? null}
          minLength={8}
          required
        />
        <Checkbox
          name="sign_out_others"
          label={texts.signOutOtherBrowsers}
          checked={!wasSent || page.isChecked("sign_out_others")}
        />
        <button class="primary">{texts.changePassword}</button>
      </Form>
    </section>
  );
}
