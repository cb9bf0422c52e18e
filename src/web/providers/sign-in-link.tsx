/** @jsxImportSource preact */
import { findSignInLink, SIGN_IN_LINK, useSignInLink } from "../../core/sign-in/sign-in-links.ts";
import { brokenLinkPage } from "../mail/broken-link.tsx";
import { expiredForm, Form, Hidden, NO_PROBLEMS } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { continueSignIn, signInRefusal } from "../sign-in/second-step.tsx";
import { providerTexts } from "./texts.ts";

/** The page behind the link of `linnet user sign-in-link`, for users who can't sign in any more. */
export function signInLinkPages(pages: Pages): void {
  pages.get(SIGN_IN_LINK, (page) => linkPage(page));

  pages.post(SIGN_IN_LINK, (page) => {
    if (!page.isFormValid()) return linkPage(page, expiredForm(page));
    const user = findSignInLink(page.ctx, page.text("token"));
    const refusal = user && signInRefusal(page, user);
    if (refusal) return linkPage(page, { problem: refusal, fields: {}, status: 403 });
    const response = page.ctx.db.transaction((tx) => {
      const linked = useSignInLink(page.ctx, tx, page.text("token"));
      return linked && continueSignIn(page, linked, "/settings/security");
    });
    return response ?? brokenLinkPage(page, null);
  });
}

function linkPage(page: PageRequest, problems = NO_PROBLEMS): Response {
  const texts = page.texts(providerTexts);
  const secret = page.text("token");
  const user = findSignInLink(page.ctx, secret);
  if (!user) return brokenLinkPage(page, null);
  const title = texts.linkTitle(user.username);
  return page.render(
    { status: problems.status, title, isFocused: true },
    <>
      <Head title={title}>
        <p>{texts.linkHelp}</p>
      </Head>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <Form page={page} action={SIGN_IN_LINK}>
        <Hidden values={{ token: secret }} />
        <button class="primary">{texts.linkButton}</button>
      </Form>
    </>,
  );
}
