/** @jsxImportSource preact */
import { authorizedApps, revokeApp, type AuthorizedApp } from "../../oauth/authorizations.ts";
import { isKnownScope, broadestScopes } from "../../oauth/scopes.ts";
import { closeOtherSessions, otherSessions } from "../../oauth/sessions.ts";
import type { Messages } from "../i18n/messages.ts";
import { ActionButton, NO_PROBLEMS } from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { APPS } from "../sign-in/sign-in.tsx";
import { settingsPage } from "./settings.tsx";

/** The page where users see the apps and browsers that are signed in to their account, and revoke their access. */
export function appPages(pages: Pages): void {
  pages.userGet(APPS, (page) => appsPage(page));

  pages.userPost(`${APPS}/revoke`, {
    show: appsPage,
    submit: (page) => {
      revokeApp(page.ctx, page.session.userId, Number(page.text("app")) || 0);
      return page.redirect(APPS);
    },
  });

  pages.userPost(`${APPS}/sign-out-others`, {
    show: appsPage,
    submit: (page) => {
      closeOtherSessions(page.ctx, page.session);
      return page.redirect(APPS);
    },
  });
}

function appsPage(page: UserPage, problems = NO_PROBLEMS): Response {
  const { ctx, messages, session } = page;
  const apps = authorizedApps(ctx, session.userId);
  return settingsPage(
    page,
    { status: problems.status, title: messages.appsAndBrowsers },
    <>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      <section>
        <h2>{messages.apps}</h2>
        {apps.length === 0 && <p>{messages.noApps}</p>}
        <ul class="entries">
          {apps.map((app) => (
            <App page={page} app={app} />
          ))}
        </ul>
      </section>
      <Browsers page={page} />
    </>,
  );
}

function App({ page, app }: { page: UserPage; app: AuthorizedApp }) {
  const { messages } = page;
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
        <ActionButton
          page={page}
          action={`${APPS}/revoke`}
          values={{ app: String(id) }}
          label={messages.revokeAppNamed(name)}
        >
          {messages.revokeApp}
        </ActionButton>
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

function Browsers({ page }: { page: UserPage }) {
  const { messages } = page;
  const others = otherSessions(page.ctx, page.session);
  return (
    <section>
      <h2>{messages.browsers}</h2>
      <ul class="entries">
        <li class="entry">
          <strong>{messages.thisBrowser}</strong>
          <ActionButton page={page} action="/sign-out">
            {messages.signOut}
          </ActionButton>
        </li>
        {others > 0 && (
          <li class="entry">
            <strong>{messages.otherBrowsers(others)}</strong>
            <ActionButton page={page} action={`${APPS}/sign-out-others`}>
              {messages.signOutOthers(others)}
            </ActionButton>
          </li>
        )}
      </ul>
    </section>
  );
}

function day(messages: Messages, time: number): string {
  return new Intl.DateTimeFormat(messages.locale, { dateStyle: "medium", timeZone: "UTC" }).format(time);
}
