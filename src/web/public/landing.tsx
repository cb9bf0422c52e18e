/** @jsxImportSource preact */
import { hasUsers, listedAccounts } from "../../core/people/users.ts";
import { showAccounts, type AccountJson } from "../../entities/accounts.ts";
import { Hidden } from "../page/forms.tsx";
import { Head, Notice } from "../page/layout.tsx";
import type { Pages } from "../page/page-routes.ts";
import { AccountItem } from "./posts.tsx";
import { APPS as APPS_PAGE } from "../sign-in/sign-in.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Platform, Messages } from "../i18n/messages.ts";
import { localHandle } from "../../core/addresses.ts";

/** A longer list would be a directory. */
const MAX_LISTED = 20;

const APPS: { name: string; address: string; platform: Platform }[] = [
  { name: "Phanpy", address: "https://phanpy.social", platform: "web" },
  { name: "Elk", address: "https://elk.zone", platform: "web" },
  { name: "Tusky", address: "https://tusky.app", platform: "android" },
  { name: "Ivory", address: "https://tapbots.com/ivory/", platform: "apple" },
  { name: "Ice Cubes", address: "https://github.com/Dimillian/IceCubesApp", platform: "iphone" },
  { name: "Tuba", address: "https://tuba.geopjr.dev", platform: "linux" },
  { name: "toot", address: "https://toot.bezdomni.net", platform: "terminal" },
];

/** The start page, and the welcome page for a new owner. */
export function landingPages(pages: Pages): void {
  pages.get("/", landingPage);

  pages.get("/welcome", (page) => {
    const { session, messages } = page;
    if (!session) return page.redirect("/");
    const title = messages.welcomeTitle(session.displayName || session.username);
    return page.render(
      { title },
      <>
        <Head title={title}>
          <p>
            {messages.yourHandle} <strong>{localHandle(page.ctx, session.username)}</strong>
          </p>
        </Head>
        <Apps messages={messages} origin={page.ctx.config.origin} />
      </>,
    );
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
      {hasUsers(ctx) ? (
        <>
          {people.length > 0 && <AccountList page={page} people={people} />}
          <Apps messages={messages} origin={ctx.config.origin} />
          <SignInStatus page={page} />
        </>
      ) : (
        <Notice>{messages.noOwner}</Notice>
      )}
    </>,
  );
}

function AccountList({ page, people }: { page: PageRequest; people: readonly AccountJson[] }) {
  return (
    <section>
      <h2>{page.messages.accountsHere}</h2>
      <ul class="accounts">
        {people.map((account) => (
          <AccountItem page={page} account={account} />
        ))}
      </ul>
    </section>
  );
}

function Apps({ messages, origin }: { messages: Messages; origin: string }) {
  return (
    <section>
      <h2>{messages.appsTitle}</h2>
      <p>{messages.appsHelp}</p>
      <output class="code">{new URL(origin).host}</output>
      <ul class="apps">
        {APPS.map(({ name, address, platform }) => (
          <li>
            <a href={address} rel="noreferrer">
              {name}
            </a>{" "}
            <span>{messages.platforms[platform]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A link to sign in, or the user with a button to sign out. */
function SignInStatus({ page }: { page: PageRequest }) {
  const { messages, session } = page;
  if (!session) {
    return (
      <p>
        <a href={APPS_PAGE}>{messages.signInForApps}</a>
      </p>
    );
  }
  return (
    <form class="signed-in" method="post" action="/sign-out">
      <Hidden values={{ csrf: page.csrfToken() }} />
      <div>
        <p>
          {messages.signedInAs} <strong>@{session.username}</strong>
        </p>
        <a href={APPS_PAGE}>{messages.appsAndBrowsers}</a>
      </div>
      <button class="small">{messages.signOut}</button>
    </form>
  );
}
