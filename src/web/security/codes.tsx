/** @jsxImportSource preact */
import { checkNewSecret, deleteCodes, newCodeSecret } from "../../core/sign-in/one-time-codes.ts";
import { countProof } from "../../core/sign-in/proofs.ts";
import { addSecondFactor, removeSecondFactor } from "../../core/sign-in/second-factors.ts";
import { waitFor } from "../page/error-pages.tsx";
import { Field, Form, Hidden, type FormProblems } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { QrCode } from "../page/qr-code.tsx";
import { settingsPage } from "../settings/settings.tsx";
import { recoveryPage } from "./recovery.tsx";
import { remainingWithout, removalPage } from "./removal.tsx";
import { securityTexts } from "./texts.ts";

export const CODES = "/settings/security/codes";

/** Setting up an authenticator app, and turning its codes off. */
export function codesPages(pages: Pages): void {
  pages.userForm(CODES, { isSensitive: true, show: codesPage, submit: turnOn });
  pages.userForm(`${CODES}/off`, {
    isSensitive: true,
    show: offPage,
    submit: (page) => {
      const { userId } = page.session;
      removeSecondFactor(page.ctx, page.changer, "codes_off", (tx) => deleteCodes(tx, userId));
      return page.redirect("/settings/security?done=codesTurnedOff");
    },
  });
}

function offPage(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(securityTexts);
  const remaining = remainingWithout(page, "codes");
  const removal = { title: texts.codesOffTitle, button: texts.codesTurnOff, action: `${CODES}/off`, remaining };
  return removalPage(page, removal, problems);
}

async function turnOn(page: UserPage): Promise<Response> {
  const { ctx, session, messages } = page;
  const attempt = countProof(ctx, session.userId);
  if (attempt.refused) {
    const { minutes } = waitFor(page, attempt.refused);
    return codesPage(page, { problem: messages.tooManyAttempts(minutes), fields: {}, status: 429 });
  }
  const store = await checkNewSecret(ctx, session.userId, page.text("secret"), page.text("code"));
  if (!store) {
    const wrong = page.texts(securityTexts).codeDoesNotMatch;
    return codesPage(page, { fields: { code: wrong }, status: 422 });
  }
  attempt.giveBack();
  const { recoveryCodes } = addSecondFactor(ctx, page.changer, "codes_on", (tx) => (store(tx), true));
  return recoveryPage(page, page.texts(securityTexts).codesTurnedOn, recoveryCodes);
}

async function codesPage(page: UserPage, problems: FormProblems): Promise<Response> {
  const texts = page.texts(securityTexts);
  const { userId: id, username } = page.session;
  const secret = await newCodeSecret(page.ctx, { id, username }, page.text("secret"));
  return settingsPage(
    page,
    { title: texts.codesSetUp, status: problems.status },
    <Form page={page} action={CODES} problems={problems}>
      <Hidden values={{ secret: secret.sealed }} />
      <p>{texts.codesScan}</p>
      <QrCode text={secret.uri} label={texts.codesQr} />
      <div>
        <p>{texts.codesKey}</p>
        <output class="code">{secret.text}</output>
      </div>
      <Field
        name="code"
        label={texts.codesConfirm}
        autocomplete="one-time-code"
        inputMode="numeric"
        help={texts.passwordNotEnough}
        error={problems.fields["code"] ?? null}
        maxLength={20}
        required
      />
      <button class="primary">{texts.codesTurnOn}</button>
    </Form>,
  );
}
