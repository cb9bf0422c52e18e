/** @jsxImportSource preact */
import { localHandle } from "../../../core/addresses.ts";
import { deleteAccount } from "../../../core/people/account-deletion.ts";
import { isLastOwner } from "../../../core/people/users.ts";
import { Field, Form, problemsOf, type FormProblems } from "../../page/forms.tsx";
import { Head } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { transferTexts } from "../../transfer/texts.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { accountTexts } from "./texts.ts";

const PATH = "/settings/delete-account";

/** The page where users delete their account, after a proof of who they are. */
export function deleteAccountPages(pages: Pages): void {
  pages.userForm(PATH, { isSensitive: true, show, submit });
}

function submit(page: UserPage): Response {
  const { ctx, session } = page;
  const typed = page.text("username").trim().replace(/^@/, "").toLowerCase();
  if (typed !== session.username.toLowerCase()) {
    return show(page, { fields: { username: page.texts(accountTexts).wrongName(session.username) }, status: 422 });
  }
  try {
    deleteAccount(ctx, session.accountId);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
  page.signOut();
  return deletedPage(page);
}

function deletedPage(page: UserPage): Response {
  const texts = page.texts(accountTexts);
  return page.render(
    { title: texts.accountDeleted, isFocused: true },
    <>
      <Head title={texts.accountDeleted}>
        <p>{texts.accountDeletedHelp}</p>
      </Head>
      <a class="button" href="/">
        {page.messages.toStartPage}
      </a>
    </>,
  );
}

function show(page: UserPage, problems: FormProblems): Response {
  const { ctx, session } = page;
  const texts = page.texts(accountTexts);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).deleteAccount, status: problems.status },
    isLastOwner(ctx.db, session.userId) ? (
      <p>{texts.lastOwner}</p>
    ) : (
      <>
        <p>{texts.deleteIntro(localHandle(ctx, session.username))}</p>
        <p>
          {texts.deleteBefore} <a href="/settings/export">{page.texts(transferTexts).export}</a> ·{" "}
          <a href="/settings/migration">{page.texts(transferTexts).migration}</a>
        </p>
        <Form page={page} action={PATH} problems={problems}>
          <Field
            name="username"
            label={texts.typeName(session.username)}
            value={page.text("username")}
            error={problems.fields["username"]}
            autocomplete="off"
            maxLength={100}
            required
          />
          <button class="danger">{texts.deleteForGood}</button>
        </Form>
      </>
    ),
  );
}
