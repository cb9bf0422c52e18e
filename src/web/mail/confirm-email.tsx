/** @jsxImportSource preact */
import { addressToConfirm, confirmEmail } from "../../core/sign-in/email-address.ts";
import { expiredForm, Form, Hidden, NO_PROBLEMS, problemsOf } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { brokenLinkPage } from "./broken-link.tsx";
import { mailTexts } from "./texts.ts";

const PATH = "/confirm-email";

/**
 * The page behind the link that confirms an address. It asks once more, since programs that check e-mails open links. The
 * user need not be signed in: the e-mail may be read on another device.
 */
export function confirmEmailPages(pages: Pages): void {
  pages.get(PATH, (page) => confirmPage(page));

  pages.post(PATH, (page) => {
    if (!page.isSameOrigin()) return confirmPage(page, expiredForm(page));
    try {
      const result = confirmEmail(page.ctx, page.text("token"), page.address);
      return result ? confirmedPage(page, result) : brokenLinkPage(page, null);
    } catch (error) {
      return confirmPage(page, problemsOf(page, error));
    }
  });
}

function confirmPage(page: PageRequest, problems = NO_PROBLEMS): Response {
  const texts = page.texts(mailTexts);
  const secret = page.text("token");
  const address = addressToConfirm(page.ctx, secret);
  if (address === null) return brokenLinkPage(page, null);
  return page.render(
    { status: problems.status, title: texts.confirmTitle, isFocused: true },
    <>
      <Head title={texts.confirmTitle}>
        <p>{texts.confirmIntro(address)}</p>
      </Head>
      {problems.fields["email"] && <Alert>{problems.fields["email"]}</Alert>}
      <Form page={page} action={PATH} problems={problems}>
        <Hidden values={{ token: secret }} />
        <button class="primary">{texts.confirm}</button>
      </Form>
    </>,
  );
}

function confirmedPage(page: PageRequest, result: "confirmed" | "pending"): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { title: texts.confirmedTitle, isFocused: true },
    <>
      <Head title={texts.confirmedTitle}>
        <p>{texts[result]}</p>
      </Head>
      <a class="button" href="/">
        {page.messages.toStartPage}
      </a>
    </>,
  );
}
