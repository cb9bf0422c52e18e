/** @jsxImportSource preact */
import type { OriginalJson } from "../../../entities/statuses/statuses.ts";
import { targetOf } from "../../../lib/http/params.ts";
import { Hidden } from "../../page/forms.tsx";
import { Icon, type IconName } from "../../page/icons.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import { actionTexts } from "../action-texts.ts";

/** Actions of signed-in users on posts; the button's value says what. */
export const POSTS = "/posts";

interface ActionsProps {
  page: UserPage;
  status: OriginalJson;
  /** The id of the element with the post. */
  anchor: string;
}

/** The hidden fields of a form that leads back to a post on the same page. */
export function hereAgain(page: UserPage, anchor: string): Record<string, string> {
  return { csrf: page.csrfToken(), return_to: `${returnTo(page)}#${anchor}` };
}

/** The address of the page; of a form that was sent, the one that it leads back to. */
export function returnTo(page: UserPage): string {
  return page.request.method === "GET" ? targetOf(page.request.url) : page.text("return_to");
}

/** The buttons beneath a post. They work in one form, since each button says what it does. */
export function PostActions({ page, status, anchor }: ActionsProps) {
  const texts = page.texts(actionTexts);
  const isOwn = Number(status.account.id) === page.session.accountId;
  const { can_reply, can_reblog, can_favourite } = status.interaction_policy;
  const isOpen = status.visibility === "public" || status.visibility === "unlisted";
  const mayBoost = isOpen ? isAllowed(can_reblog) : isOwn && status.visibility === "private";
  return (
    <form class="actions" method="post" action={`${POSTS}/${status.id}`}>
      <Hidden values={hereAgain(page, anchor)} />
      {isAllowed(can_reply) && (
        <a href={`/compose?in_reply_to=${status.id}`} title={texts.reply}>
          <Content icon="reply" label={texts.reply} count={status.replies_count} />
        </a>
      )}
      {(mayBoost || status.reblogged) && (
        <Toggle icon="boost" name="reblog" label={texts.boost} isOn={status.reblogged} count={status.reblogs_count} />
      )}
      {(isAllowed(can_favourite) || status.favourited) && (
        <Toggle
          icon="star"
          name="favourite"
          label={texts.favourite}
          isOn={status.favourited}
          count={status.favourites_count}
        />
      )}
      <Toggle icon="bookmark" name="bookmark" label={texts.bookmark} isOn={status.bookmarked} />
      <details class="menu">
        <summary title={texts.more}>
          <Content icon="more" label={texts.more} />
        </summary>
        <Menu page={page} status={status} anchor={anchor} isOwn={isOwn} />
      </details>
    </form>
  );
}

/** Whether the author lets the viewer do this. */
function isAllowed(rule: { always: readonly string[] }): boolean {
  return rule.always.includes("me");
}

function Menu({ page, status, anchor, isOwn }: ActionsProps & { isOwn: boolean }) {
  const texts = page.texts(actionTexts);
  const { id, muted, pinned } = status;
  const isPinnable = isOwn && status.visibility !== "direct";
  const back = new URLSearchParams({ return_to: `${returnTo(page)}#${anchor}` });
  return (
    <div>
      {status.quote_approval.current_user !== "denied" && <a href={`/compose?quote=${id}`}>{texts.quote}</a>}
      {isOwn && <a href={`/compose?edit=${id}`}>{texts.edit}</a>}
      {isPinnable && (
        <button name="do" value={pinned ? "unpin" : "pin"}>
          {pinned ? texts.unpin : texts.pin}
        </button>
      )}
      <button name="do" value={muted ? "unmute" : "mute"}>
        {muted ? texts.unmute : texts.mute}
      </button>
      {status.account.acct.includes("@") && (
        <a href={status.url ?? status.uri} rel="nofollow noopener noreferrer">
          {texts.original}
        </a>
      )}
      {isOwn && <a href={`${POSTS}/${id}/delete?${back}`}>{texts.delete}</a>}
    </div>
  );
}

interface ToggleProps {
  icon: IconName;
  name: string;
  label: string;
  isOn: boolean | undefined;
  count?: number;
}

function Toggle({ icon, name, label, isOn = false, count }: ToggleProps) {
  return (
    <button name="do" value={isOn ? `un${name}` : name} aria-pressed={isOn} title={label}>
      <Content icon={icon} label={label} count={count} />
    </button>
  );
}

function Content({ icon, label, count = 0 }: { icon: IconName; label: string; count?: number }) {
  return (
    <>
      <Icon name={icon} />
      <span class="visually-hidden">{label}</span>
      {count > 0 && <span>{count}</span>}
    </>
  );
}
