/** @jsxImportSource preact */
import { programIn, systemIn } from "../../core/sign-in/user-agents.ts";
import { authorizedApps, revokeApp, revokeApps, type AuthorizedApp } from "../../oauth/authorizations.ts";
import { isKnownScope, broadestScopes } from "../../oauth/scopes.ts";
import { closeOtherSessions, closeSessionOf, sessionsOf, type ListedSession } from "../../oauth/sessions.ts";
import { dayOf } from "../page/dates.tsx";
import { ActionButton, NO_PROBLEMS } from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "./settings.tsx";
import { settingsTexts } from "./texts.ts";

const APPS = "/settings/apps";

/** The page where users see the apps and browsers that are signed in to their account, and revoke their access. */
export function appPages(pages: Pages): void {
  pages.userGet(APPS, (page) => appsPage(page));
  action(pages, "revoke", ({ ctx, session }, id) => revokeApp(ctx, session.userId, id));
  action(pages, "revoke-all", ({ ctx, session }) => revokeApps(ctx, session.userId));
  action(pages, "sign-out", ({ ctx, session }, id) => closeSessionOf(ctx, session.userId, id));
  action(pages, "sign-out-others", ({ ctx, session }) => closeOtherSessions(ctx, session));
}

function action(pages: Pages, name: string, act: (page: UserPage, id: number) => void): void {
  pages.userPost(`${APPS}/${name}`, {
    show: appsPage,
    submit: (page) => {
      act(page, Number(page.text("id")) || 0);
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
      <section class="stack">
        <h2>{messages.apps}</h2>
        {apps.length === 0 && <p>{messages.noApps}</p>}
        <ul class="entries">
          {apps.map((app) => (
            <App page={page} app={app} />
          ))}
        </ul>
        {apps.length > 1 && (
          <ActionButton page={page} action={`${APPS}/revoke-all`}>
            {page.texts(settingsTexts).revokeAllApps}
          </ActionButton>
        )}
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
          <p class="help">{messages.authorizedOn(dayOf(page, created_at))}</p>
          {last_used_at === null ? (
            <p class="help">{messages.notUsedYet}</p>
          ) : (
            <LastUse page={page} at={last_used_at} address={app.last_address} userAgent={app.user_agent} />
          )}
          {expires_at !== null && <p class="help">{messages.expiresOn(dayOf(page, expires_at))}</p>}
        </div>
        <ActionButton
          page={page}
          action={`${APPS}/revoke`}
          values={{ id: String(id) }}
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

function LastUse(props: { page: UserPage; at: number; address: string | null; userAgent: string | null }) {
  const { page, at, address, userAgent } = props;
  const device = deviceName(page, userAgent);
  return (
    <>
      <p class="help">{page.messages.lastUsedOn(dayOf(page, at))}</p>
      {address && (
        <p class="help">
          {device && `${device} · `}
          {address}
        </p>
      )}
    </>
  );
}

function Browsers({ page }: { page: UserPage }) {
  const { messages, session } = page;
  const sessions = sessionsOf(page.ctx, session.userId);
  const others = sessions.filter(({ id }) => id !== session.id);
  return (
    <section class="stack">
      <h2>{messages.browsers}</h2>
      <ul class="entries">
        {sessions
          .filter(({ id }) => id === session.id)
          .map((own) => (
            <Browser page={page} browser={own} />
          ))}
        {others.map((other) => (
          <Browser page={page} browser={other} />
        ))}
      </ul>
      {others.length > 1 && (
        <ActionButton page={page} action={`${APPS}/sign-out-others`}>
          {page.texts(settingsTexts).signOutOthers}
        </ActionButton>
      )}
    </section>
  );
}

function Browser({ page, browser }: { page: UserPage; browser: ListedSession }) {
  const { messages } = page;
  const texts = page.texts(settingsTexts);
  const isThis = browser.id === page.session.id;
  const name = deviceName(page, browser.user_agent) ?? texts.unknownBrowser;
  return (
    <li class="entry">
      <div>
        <strong>{name}</strong> {isThis && <span class="help">{messages.thisBrowser}</span>}
        <p class="help">{texts.signedInOn(dayOf(page, browser.created_at))}</p>
        {browser.last_used_at !== null && (
          <>
            <p class="help">{messages.lastUsedOn(dayOf(page, browser.last_used_at))}</p>
            <p class="help">{browser.address}</p>
          </>
        )}
      </div>
      {isThis ? (
        <ActionButton page={page} action="/sign-out">
          {messages.signOut}
        </ActionButton>
      ) : (
        <ActionButton
          page={page}
          action={`${APPS}/sign-out`}
          values={{ id: String(browser.id) }}
          label={texts.signOutNamed(name)}
        >
          {messages.signOut}
        </ActionButton>
      )}
    </li>
  );
}

/** A browser and its system in words; null if its header names none that is known. */
function deviceName(page: UserPage, userAgent: string | null): string | null {
  if (userAgent === null) return null;
  const [program, system] = [programIn(userAgent), systemIn(userAgent)];
  return program && system ? page.texts(settingsTexts).programOn(program, system) : (program ?? system);
}
