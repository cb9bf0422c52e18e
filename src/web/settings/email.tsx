/** @jsxImportSource preact */
import { sendsMail } from "../../core/mail/mail-queue.ts";
import {
  cancelEmailChange,
  changeEmail,
  emailAddresses,
  resendConfirmation,
} from "../../core/sign-in/email-address.ts";
import { mailTexts } from "../mail/texts.ts";
import { ActionButton, Field, Form, NO_PROBLEMS, problemsOf } from "../page/forms.tsx";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "./settings.tsx";
import { settingsTexts } from "./texts.ts";

const PATH = "/settings/email";

/** The page where users change their e-mail address. It is sensitive, since the address is enough to set a password. */
export function emailSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { isSensitive: true, show, submit });

  pages.userPost(`${PATH}/cancel`, {
    isSensitive: true,
    show,
    submit: (page) => {
      cancelEmailChange(page.ctx, page.session.userId);
      return page.redirect(`${PATH}?saved`);
    },
  });

  pages.userPost(`${PATH}/resend`, {
    isSensitive: true,
    show,
    submit: (page) => {
      resendConfirmation(page.ctx, page.session.userId);
      return page.redirect(`${PATH}?sent`);
    },
  });
}

function submit(page: UserPage): Response {
  try {
    changeEmail(page.ctx, page.changer, page.text("email"));
    return page.redirect(`${PATH}?saved`);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
}

function show(page: UserPage, problems = NO_PROBLEMS): Response {
  const texts = page.texts(mailTexts);
  const { email, unconfirmed_email: waiting } = emailAddresses(page.ctx, page.session.userId);
  const typed = page.params["email"] === undefined ? (waiting ?? email ?? "") : page.text("email");
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).email, status: problems.status },
    <>
      {page.params["saved"] !== undefined && waiting === null && <Notice>{page.messages.saved}</Notice>}
      {page.params["sent"] !== undefined && <Notice>{texts.sentAgain}</Notice>}
      <p>{sendsMail(page.ctx) ? texts.whatFor : texts.whatForWithoutMail}</p>
      {waiting !== null && <Waiting page={page} address={waiting} />}
      <Form page={page} action={PATH} problems={problems}>
        <Field
          name="email"
          label={texts.emailAddress}
          type="email"
          value={typed}
          autocomplete="email"
          help={texts.changeHelp}
          error={problems.fields["email"] ?? null}
        />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}

/** A new address that its user has not confirmed yet. */
function Waiting({ page, address }: { page: UserPage; address: string }) {
  const texts = page.texts(mailTexts);
  return (
    <section>
      <Notice>{texts.waiting(address)}</Notice>
      <div class="side-by-side">
        {sendsMail(page.ctx) && (
          <ActionButton page={page} action={`${PATH}/resend`}>
            {texts.sendAgain}
          </ActionButton>
        )}
        <ActionButton page={page} action={`${PATH}/cancel`}>
          {texts.cancel}
        </ActionButton>
      </div>
    </section>
  );
}
