/** @jsxImportSource preact */
import { authorizedApps, revokeApp, type AuthorizedApp } from "../../oauth/authorizations.ts";
import { isKnownScope, broadestScopes } from "../../oauth/scopes.ts";
import { closeOtherSessions, otherSessions, type Session } from "../../oauth/sessions.ts";
import { Alert, Head, Hidden } from "../page/layout.tsx";
import type { Pages } from "../page/page-routes.ts";
import { APPS, signInPage } from "../sign-in/sign-in.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Messages } from "../i18n/messages.ts";

/** The page where users see the apps and browsers that are signed in to their account, and revoke their access. */
export function appPages(pages: Pages): void {
  pages.get(APPS, (page) => {
    const { session } = page;
    return session ? appsPage(page, session) : signInPage(page, { returnTo: APPS });
  });

  pages.post(`${APPS}/revoke`, (page) =>
    act(page, (session) => revokeApp(page.ctx, session.userId, Number(page.text("app")) || 0)),
  );

  pages.post(`${APPS}/sign-out-others`, (page) => act(page, (session) => closeOtherSessions(page.ctx, session)));
}

/** Handles a form of the page and redirects back to the page. */
function act(page: PageRequest, done: (session: Session) => void): Response {
  const { session } = page;
  if (!session) return page.redirect(APPS);
  if (!page.isFormValid()) return appsPage(page, session, page.messages.formExpired);
  done(session);
  return page.redirect(APPS);
}

function appsPage(page: PageRequest, session: Session, problem?: string): Response {
  const { ctx, messages } = page;
  const apps = authorizedApps(ctx, session.userId);
  const csrf = page.csrfToken();
  return page.render(
    { status: problem ? 403 : 200, title: messages.appsAndBrowsers },
    <>
      <Head title={messages.appsAndBrowsers}>
        <p>@{session.username}</p>
      </Head>
      {problem && <Alert>{problem}</Alert>}
      <section>
        <h2>{messages.apps}</h2>
        {apps.length === 0 && <p>{messages.noApps}</p>}
        <ul class="entries">
          {apps.map((app) => (
            <App messages={messages} app={app} csrf={csrf} />
          ))}
        </ul>
      </section>
      <Browsers page={page} session={session} csrf={csrf} />
    </>,
  );
}

function App({ messages, app, csrf }: { messages: Messages; app: AuthorizedApp; csrf: string }) {
  const { id, name, website, scopes, created_at, last_used_at, expires_at } = app;
  return (
    <li>
      <div class="entry">
        <div>
          <strong>{name}</strong> {website && <span class="help">{new URL(website).host}</span>}
          <p class="help">{messages.authorizedOn(day(messages, created_at))}</p>
          <p class="help">
            {last_used_at === null ? messages.notUsedYet : messages.lastUsedOn(day(messages, last_used_at))}
          </p>
          {expires_at !== null && <p class="help">{messages.expiresOn(day(messages, expires_at))}</p>}
        </div>
        <form method="post" action={`${APPS}/revoke`}>
          <Hidden values={{ csrf, app: String(id) }} />
          <button class="small" aria-label={messages.revokeAppNamed(name)}>
            {messages.revokeApp}
          </button>
        </form>
      </div>
      <details>
        <summary>{messages.permissions}</summary>
        <ul class="scopes">
          {broadestScopes(scopes.filter(isKnownScope)).map((scope) => (
            <li>{messages.scopes[scope]}</li>
          ))}
        </ul>
      </details>
    </li>
  );
}

function Browsers({ page, session, csrf }: { page: PageRequest; session: Session; csrf: string }) {
  const { messages } = page;
  const others = otherSessions(page.ctx, session);
  return (
    <section>
      <h2>{messages.browsers}</h2>
      <ul class="entries">
        <li class="entry">
          <strong>{messages.thisBrowser}</strong>
          <form method="post" action="/sign-out">
            <Hidden values={{ csrf }} />
            <button class="small">{messages.signOut}</button>
          </form>
        </li>
        {others > 0 && (
          <li class="entry">
            <strong>{messages.otherBrowsers(others)}</strong>
            <form method="post" action={`${APPS}/sign-out-others`}>
              <Hidden values={{ csrf }} />
              <button class="small">{messages.signOutOthers(others)}</button>
            </form>
          </li>
        )}
      </ul>
    </section>
  );
}

function day(messages: Messages, time: number): string {
  return new Intl.DateTimeFormat(messages.locale, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}
