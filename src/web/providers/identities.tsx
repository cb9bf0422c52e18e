/** @jsxImportSource preact */
import { identitiesOf, unlinkIdentity, type IdentityRow } from "../../core/sign-in/identities.ts";
import { parseId } from "../../lib/ids.ts";
import { dayOf } from "../page/dates.tsx";
import { ActionButton, problemsOf, type FormProblems } from "../page/forms.tsx";
import { Alert, Head, Notice } from "../page/layout.tsx";
import type { PageRequest, UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { journeyPage, logProviderFailure } from "./journey.tsx";
import { providerTexts } from "./texts.ts";

const SECURITY = "/settings/security";
const PATH = `${SECURITY}/identities`;
/** Where the browser goes once an account is linked. */
export const LINKED = `${SECURITY}?linked`;

type Show = (page: UserPage, problems: FormProblems) => Response;

/** The routes of the section below. `show` shows the page that it is in. */
export function identityPages(pages: Pages, show: Show): void {
  const isSensitive = true;
  pages.userPost(`${PATH}/link`, { isSensitive, show, submit: (page) => link(page, show) });
  pages.userPost(`${PATH}/unlink`, { isSensitive, show, submit: (page) => unlink(page, show) });
}

async function link(page: UserPage, show: Show): Promise<Response> {
  const provider = page.ctx.providers.find(({ settings }) => settings.id === page.text("provider"));
  if (!provider) return page.redirect(SECURITY);
  try {
    return await journeyPage(page, provider, { userId: page.session.userId, returnTo: SECURITY });
  } catch (error) {
    logProviderFailure(page, provider, error);
    const problem = page.texts(providerTexts).failed(provider.settings.name);
    return show(page, { problem, fields: {}, status: 403 });
  }
}

function unlink(page: UserPage, show: Show): Response {
  try {
    unlinkIdentity(page.ctx, page.changer, parseId(page.text("id")) ?? 0);
    return page.redirect(`${SECURITY}?unlinked`);
  } catch (error) {
    return show(page, problemsOf(page, error));
  }
}

/** The part of the security settings about identity providers; nothing if there are none. */
export function IdentitySection({ page }: { page: UserPage }) {
  const texts = page.texts(providerTexts);
  const { providers, db } = page.ctx;
  const linked = identitiesOf(db, page.session.userId);
  if (providers.length === 0 && linked.length === 0) return null;
  return (
    <section>
      <h2>{texts.title}</h2>
      {page.params["linked"] !== undefined && <Notice>{texts.isLinked}</Notice>}
      {page.params["unlinked"] !== undefined && <Notice>{texts.isUnlinked}</Notice>}
      <p>{texts.help}</p>
      <ul class="entries">
        {linked.map((identity) => (
          <Linked page={page} identity={identity} />
        ))}
      </ul>
      <div class="side-by-side">
        {providers.map(({ settings: { id, name } }) => (
          <ActionButton page={page} action={`${PATH}/link`} values={{ provider: id }}>
            {texts.link(name)}
          </ActionButton>
        ))}
      </div>
    </section>
  );
}

function Linked({ page, identity }: { page: UserPage; identity: IdentityRow }) {
  const { messages, ctx } = page;
  const texts = page.texts(providerTexts);
  const { id, issuer, label, created_at, last_used_at } = identity;
  const name = ctx.config.providers.find((each) => each.issuer === issuer)?.name ?? new URL(issuer).host;
  return (
    <li class="entry">
      <div>
        <strong dir="auto">{label}</strong> <span class="help">{name}</span>
        <p class="help">
          {texts.linkedOn(dayOf(page, created_at))}{" "}
          {last_used_at === null ? messages.notUsedYet : messages.lastUsedOn(dayOf(page, last_used_at))}
        </p>
      </div>
      <ActionButton
        page={page}
        action={`${PATH}/unlink`}
        values={{ id: String(id) }}
        label={texts.unlinkNamed(name, label)}
      >
        {texts.unlink}
      </ActionButton>
    </li>
  );
}

/** The page for a user who has come back from a provider whose account can't be linked. */
export function linkFailedPage(page: PageRequest, sentence: string): Response {
  const texts = page.texts(providerTexts);
  return page.render(
    { status: 403, title: texts.linkFailedTitle, isFocused: true },
    <>
      <Head title={texts.linkFailedTitle} />
      <Alert>{sentence}</Alert>
      <a class="button" href={SECURITY}>
        {texts.toSecurity}
      </a>
    </>,
  );
}
