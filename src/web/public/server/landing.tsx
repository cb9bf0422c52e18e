/** @jsxImportSource preact */
import { hasUsers, listedAccounts, soleAccount } from "../../../core/people/users.ts";
import { showAccount, showAccounts, type AccountJson } from "../../../entities/accounts.ts";
import { Head, Notice } from "../../page/layout.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { Author } from "../author.tsx";
import { profilePage } from "../profile/profile.tsx";

/** A longer list would be a directory. */
const MAX_LISTED = 20;

/** The start page: the profile of the only user, or the people here. */
export function landingPages(pages: Pages): void {
  pages.get("/", (page) => {
    const account = page.maySeeAccounts ? soleAccount(page.ctx.db) : null;
    return account === null ? landingPage(page) : profilePage(page, showAccount(page.ctx, account));
  });
}

function landingPage(page: PageRequest): Response {
  const { messages, ctx } = page;
  const people = page.maySeeAccounts ? showAccounts(ctx, listedAccounts(ctx.db, MAX_LISTED)) : [];
  return page.render(
    { title: ctx.config.title, isPublic: true },
    <>
      <Head title={ctx.config.title}>
        <p>{ctx.config.description}</p>
      </Head>
      {!hasUsers(ctx) && <Notice>{messages.noOwner}</Notice>}
      {people.length > 0 && <AccountList page={page} people={people} />}
      {hasUsers(ctx) && page.session === null && (
        <a class="button primary" href="/sign-in">
          {messages.signIn}
        </a>
      )}
    </>,
  );
}

function AccountList({ page, people }: { page: PageRequest; people: readonly AccountJson[] }) {
  return (
    <section>
      <h2>{page.messages.accountsHere}</h2>
      <ul class="entries people">
        {people.map((account) => (
          <li>
            <Author page={page} account={account} />
          </li>
        ))}
      </ul>
    </section>
  );
}
