/** @jsxImportSource preact */
import { authorizedApps, shutOut, type AuthorizedApp } from "../oauth/authorizations.ts";
import { isKnownScope, widest } from "../oauth/scopes.ts";
import { closeOtherSessions, otherSessions, type Session } from "../oauth/sessions.ts";
import { Alert, Head, Hidden } from "./layout.tsx";
import type { Pages } from "./pages.tsx";
import { APPS, signInPage } from "./sign-in.tsx";
import type { Visit } from "./visit.tsx";
import type { Words } from "./i18n/words.ts";

/** The page where users see the apps and browsers that are signed in to their account, and revoke their access. */
export function appPages(pages: Pages): void {
  pages.get(APPS, (visit) => {
    const { session } = visit;
    return session ? appsPage(visit, session) : signInPage(visit, { returnTo: APPS });
  });

  pages.post(`${APPS}/revoke`, (visit) =>
    act(visit, (session) => shutOut(visit.ctx, session.userId, Number(visit.text("app")) || 0)),
  );

  pages.post(`${APPS}/sign-out-others`, (visit) => act(visit, (session) => closeOtherSessions(visit.ctx, session)));
}

/** Handles a form of the page and redirects back to the page. */
function act(visit: Visit, done: (session: Session) => void): Response {
  const { session } = visit;
  if (!session) return visit.redirect(APPS);
  if (!visit.isFormOurs()) return appsPage(visit, session, visit.words.formExpired);
  done(session);
  return visit.redirect(APPS);
}

function appsPage(visit: Visit, session: Session, problem?: string): Response {
  const { ctx, words } = visit;
  const apps = authorizedApps(ctx, session.userId);
  const csrf = visit.csrfToken();
  return visit.page(
    { status: problem ? 403 : 200, title: words.signedInTitle },
    <>
      <Head title={words.signedInTitle}>
        <p>@{session.username}</p>
      </Head>
      {problem && <Alert>{problem}</Alert>}
      <section>
        <h2>{words.apps}</h2>
        {apps.length === 0 && <p>{words.noApps}</p>}
        <ul class="entries">
          {apps.map((app) => (
            <App words={words} app={app} csrf={csrf} />
          ))}
        </ul>
      </section>
      <Browsers visit={visit} session={session} csrf={csrf} />
    </>,
  );
}

function App({ words, app, csrf }: { words: Words; app: AuthorizedApp; csrf: string }) {
  const { id, name, website, scopes, created_at, last_used_at, expires_at } = app;
  return (
    <li>
      <div class="entry">
        <div>
          <strong>{name}</strong> {website && <span class="help">{new URL(website).host}</span>}
          <p class="help">{words.letInOn(day(words, created_at))}</p>
          <p class="help">{last_used_at === null ? words.neverUsed : words.lastUsedOn(day(words, last_used_at))}</p>
          {expires_at !== null && <p class="help">{words.expiresOn(day(words, expires_at))}</p>}
        </div>
        <form method="post" action={`${APPS}/revoke`}>
          <Hidden values={{ csrf, app: String(id) }} />
          <button class="small" aria-label={words.shutOutApp(name)}>
            {words.shutOut}
          </button>
        </form>
      </div>
      <details>
        <summary>{words.whatItMay}</summary>
        <ul class="scopes">
          {widest(scopes.filter(isKnownScope)).map((scope) => (
            <li>{words.scopes[scope]}</li>
          ))}
        </ul>
      </details>
    </li>
  );
}

function Browsers({ visit, session, csrf }: { visit: Visit; session: Session; csrf: string }) {
  const { words } = visit;
  const others = otherSessions(visit.ctx, session);
  return (
    <section>
      <h2>{words.browsers}</h2>
      <ul class="entries">
        <li class="entry">
          <strong>{words.thisBrowser}</strong>
          <form method="post" action="/sign-out">
            <Hidden values={{ csrf }} />
            <button class="small">{words.signOut}</button>
          </form>
        </li>
        {others > 0 && (
          <li class="entry">
            <strong>{words.otherBrowsers(others)}</strong>
            <form method="post" action={`${APPS}/sign-out-others`}>
              <Hidden values={{ csrf }} />
              <button class="small">{words.signOutOthers(others)}</button>
            </form>
          </li>
        )}
      </ul>
    </section>
  );
}

function day(words: Words, time: number): string {
  return new Intl.DateTimeFormat(words.locale, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}
