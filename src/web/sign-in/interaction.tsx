/** @jsxImportSource preact */
import { resolveHandle } from "../../core/accounts.ts";
import { resolveAddress } from "../../core/discovery/search.ts";
import { follow } from "../../core/people/follows.ts";
import { showAccount, type AccountJson } from "../../entities/accounts.ts";
import { showRelationship } from "../../entities/relationships.ts";
import { showStatus } from "../../entities/statuses/statuses.ts";
import { Refusal } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import type { Session } from "../../oauth/sessions.ts";
import { Hidden } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { Pages } from "../page/page-routes.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { postPath } from "../public/links.ts";
import { Author, nameOf } from "../public/author.tsx";
import { INTERACTION } from "./paths.ts";
import { signInPage } from "./sign-in.tsx";

/**
 * The page to which other servers send their visitors who want to follow an account or reply to a post from here. Its
 * address is in our WebFinger documents.
 */
export function interactionPages(pages: Pages): void {
  pages.get(INTERACTION, (page) => {
    const { session } = page;
    const returnTo = `${INTERACTION}?${new URLSearchParams({ uri: page.text("uri") })}`;
    return session ? interactionPage(page, session) : signInPage(page, { returnTo });
  });
  pages.post(INTERACTION, (page) => {
    const { session } = page;
    if (!session || !page.isFormValid()) return formExpired(page);
    return followFrom(page, session, parseId(page.text("account")));
  });
}

/** Longer than any handle or address. */
const MAX_URI = 2048;

async function interactionPage(page: PageRequest, { accountId }: Session): Promise<Response> {
  const { ctx } = page;
  const uri = page
    .text("uri")
    .slice(0, MAX_URI)
    .trim()
    .replace(/^acct:/i, "");
  if (!/^https?:\/\//i.test(uri)) {
    const account = uri.includes("@") ? await resolveHandle(ctx, accountId, uri) : null;
    return account ? accountPage(page, accountId, account.id) : notFoundPage(page);
  }
  const { accountIds, statusIds } = await resolveAddress(ctx, accountId, uri);
  if (accountIds.length > 0) return accountPage(page, accountId, accountIds[0]!);
  if (statusIds.length === 0) return notFoundPage(page);
  // Its page has all that users can do with it.
  return page.redirect(postPath(page, showStatus(ctx, accountId, statusIds[0]!)));
}

function accountPage(page: PageRequest, viewerId: number, id: number, problem?: string): Response {
  const { ctx, messages } = page;
  const account = showAccount(ctx, id);
  const { following, requested } = showRelationship(ctx, viewerId, id);
  const isOwn = id === viewerId;
  const state = following ? messages.isFollowed : requested ? messages.isRequested : null;
  const title = messages.followNamed(nameOf(account));
  return page.render(
    { title, status: problem ? 422 : 200 },
    <>
      <Head title={title} />
      {problem && <Alert>{problem}</Alert>}
      <Author page={page} account={account} />
      {state && <p role="status">{state}</p>}
      {!state && !isOwn && <FollowForm page={page} account={account} />}
    </>,
  );
}

function FollowForm({ page, account }: { page: PageRequest; account: AccountJson }) {
  return (
    <form method="post" action={INTERACTION}>
      <Hidden values={{ csrf: page.csrfToken(), account: account.id }} />
      <button class="primary">{page.messages.follow}</button>
    </form>
  );
}

function followFrom(page: PageRequest, { accountId }: Session, id: number | null): Response {
  try {
    follow(page.ctx, accountId, id, {});
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind === "not_found" || id === null) throw error;
    return accountPage(page, accountId, id, page.messages.cannotFollow);
  }
  return accountPage(page, accountId, id!);
}

function formExpired(page: PageRequest): Response {
  const { messages } = page;
  return page.render({ title: messages.follow, status: 403 }, <Alert>{messages.formExpired}</Alert>);
}

function notFoundPage(page: PageRequest): Response {
  const { messages } = page;
  return page.render(
    { title: messages.nothingThere, status: 404 },
    <Head title={messages.nothingThere}>{<p>{messages.nothingThereHelp}</p>}</Head>,
  );
}
