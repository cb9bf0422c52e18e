/** @jsxImportSource preact */
import type { AccountJson } from "../../../entities/accounts.ts";
import type { showRelationship } from "../../../entities/relationships.ts";
import { Hidden } from "../../page/forms.tsx";
import { Icon } from "../../page/icons.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import { actionTexts } from "../action-texts.ts";
import { returnTo } from "../posts/post-actions.tsx";

/** Actions of signed-in users on accounts; the button's value says what. */
export const ACCOUNTS = "/accounts";

export type Relationship = ReturnType<typeof showRelationship>;

interface AccountProps {
  page: UserPage;
  account: AccountJson;
  relationship: Relationship;
}

/** The buttons on a profile, and what the user and the account are to each other. */
export function AccountActions({ page, account, relationship }: AccountProps) {
  const texts = page.texts(actionTexts);
  const { requested, requested_by, followed_by, muting, blocking } = relationship;
  const notes = [
    followed_by && texts.followsYou,
    requested && texts.isRequested,
    requested_by && texts.asksYou,
    muting && texts.isMuted,
    blocking && texts.isBlocked,
  ].filter(Boolean);
  return (
    <form class="actions account" method="post" action={`${ACCOUNTS}/${account.id}`}>
      <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo(page) }} />
      {notes.map((note) => (
        <p class="help">{note}</p>
      ))}
      {requested_by && <Answers page={page} />}
      <FollowButton page={page} relationship={relationship} />
      <details class="menu">
        <summary title={texts.more}>
          <Icon name="more" />
          <span class="visually-hidden">{texts.more}</span>
        </summary>
        <div>
          <a href={`/compose?${new URLSearchParams({ text: `@${account.acct} ` })}`}>{texts.write}</a>
          <button name="do" value={muting ? "unmute" : "mute"}>
            {muting ? texts.unmuteAccount : texts.muteAccount}
          </button>
          <button name="do" value={blocking ? "unblock" : "block"}>
            {blocking ? texts.unblock : texts.block}
          </button>
          {account.acct.includes("@") && (
            <a href={account.url} rel="nofollow noopener noreferrer">
              {texts.original}
            </a>
          )}
        </div>
      </details>
    </form>
  );
}

/** Accepts or rejects a follow request. */
export function Answers({ page, name }: { page: UserPage; name?: string }) {
  const texts = page.texts(actionTexts);
  const label = (text: string) => (name === undefined ? undefined : texts.named(text, name));
  return (
    <>
      <button class="small primary" name="do" value="accept" aria-label={label(texts.accept)}>
        {texts.accept}
      </button>
      <button class="small" name="do" value="reject" aria-label={label(texts.reject)}>
        {texts.reject}
      </button>
    </>
  );
}

export function FollowButton(props: { page: UserPage; relationship: Relationship; name?: string }) {
  const { page, relationship, name } = props;
  const texts = page.texts(actionTexts);
  const { following, requested, blocking } = relationship;
  if (blocking && !following && !requested) return null;
  const text = following ? texts.unfollow : requested ? texts.cancelRequest : texts.follow;
  const isNew = !following && !requested;
  return (
    <button
      class={isNew ? "small primary" : "small"}
      name="do"
      value={isNew ? "follow" : "unfollow"}
      aria-label={name === undefined ? undefined : texts.named(text, name)}
    >
      {text}
    </button>
  );
}
