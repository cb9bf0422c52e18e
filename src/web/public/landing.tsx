/** @jsxImportSource preact */
import { hasUsers, listedPeople } from "../../core/people/users.ts";
import { showAccounts, type AccountJson } from "../../entities/accounts.ts";
import { Head, Hidden, Notice } from "../layout.tsx";
import type { Pages } from "../pages.tsx";
import { Person } from "./posts.tsx";
import { APPS as APPS_PAGE } from "../sign-in.tsx";
import type { Visit } from "../visit.tsx";
import type { Platform, Words } from "../i18n/words.ts";

/** A longer list would be a directory. */
const MOST_PEOPLE = 20;

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

  pages.get("/welcome", (visit) => {
    const { session, words } = visit;
    if (!session) return visit.redirect("/");
    const title = words.welcomeTitle(session.displayName || session.username);
    return visit.page(
      { title },
      <>
        <Head title={title}>
          <p>
            {words.yourHandle}{" "}
            <strong>
              @{session.username}@{visit.ctx.config.handleDomain}
            </strong>
          </p>
        </Head>
        <Apps words={words} origin={visit.ctx.config.origin} />
      </>,
    );
  });
}

function landingPage(visit: Visit): Response {
  const { words, ctx } = visit;
  const people = visit.mayKnow ? showAccounts(ctx, listedPeople(ctx.db, MOST_PEOPLE)) : [];
  return visit.page(
    { title: ctx.config.title, isPublic: true },
    <>
      <Head title={ctx.config.title}>
        <p>{ctx.config.description}</p>
      </Head>
      {hasUsers(ctx) ? (
        <>
          {people.length > 0 && <People visit={visit} people={people} />}
          <Apps words={words} origin={ctx.config.origin} />
          <Door visit={visit} />
        </>
      ) : (
        <Notice>{words.noOwner}</Notice>
      )}
    </>,
  );
}

function People({ visit, people }: { visit: Visit; people: readonly AccountJson[] }) {
  return (
    <section>
      <h2>{visit.words.peopleHere}</h2>
      <ul class="people">
        {people.map((account) => (
          <Person visit={visit} account={account} />
        ))}
      </ul>
    </section>
  );
}

function Apps({ words, origin }: { words: Words; origin: string }) {
  return (
    <section>
      <h2>{words.appsTitle}</h2>
      <p>{words.appsHelp}</p>
      <output class="code">{new URL(origin).host}</output>
      <ul class="apps">
        {APPS.map(({ name, address, platform }) => (
          <li>
            <a href={address} rel="noreferrer">
              {name}
            </a>{" "}
            <span>{words.platforms[platform]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A link to sign in, or the user with a button to sign out. */
function Door({ visit }: { visit: Visit }) {
  const { words, session } = visit;
  if (!session) {
    return (
      <p>
        <a href={APPS_PAGE}>{words.signInForApps}</a>
      </p>
    );
  }
  return (
    <form class="who" method="post" action="/sign-out">
      <Hidden values={{ csrf: visit.csrfToken() }} />
      <div>
        <p>
          {words.signedInAs} <strong>@{session.username}</strong>
        </p>
        <a href={APPS_PAGE}>{words.signedInTitle}</a>
      </div>
      <button class="small">{words.signOut}</button>
    </form>
  );
}
