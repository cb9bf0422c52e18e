/** @jsxImportSource preact */
import type { AccountRow } from "../../../core/accounts.ts";
import { followersOf, followingOf, hidesFollows } from "../../../core/people/follows.ts";
import type { AccountJson } from "../../../entities/accounts.ts";
import type { PageRequest } from "../../page/page-request.tsx";
import { Text } from "../../page/rich-text.tsx";
import { accountPath } from "../links.ts";
import { idsOf, Pagination, rangeOf } from "../pagination.tsx";
import { nameOf } from "../author.tsx";
import { publicTexts } from "../texts.ts";
import { AccountList } from "./account-list.tsx";
import { ShortProfile, TabBar, titleOf } from "./profile-header.tsx";

const LISTS = { followers: followersOf, following: followingOf };

interface FollowsProps {
  page: PageRequest;
  account: AccountJson;
  row: AccountRow;
  part: keyof typeof LISTS;
}

/** The page with an account's followers, or with the accounts that it follows. */
export function followsPage(props: FollowsProps): Response {
  const { page, account, part } = props;
  const texts = page.texts(publicTexts);
  const own = accountPath(page, account);
  const tabs = [
    { href: own, label: texts.posts },
    { href: `${own}/following`, label: texts.following },
    { href: `${own}/followers`, label: texts.followers },
  ];
  return page.render(
    { title: `${texts[part]} · ${titleOf(page, account)}`, wide: true, isPublic: true },
    <>
      <ShortProfile page={page} account={account} title={texts[part]} />
      <TabBar page={page} label={nameOf(account)} tabs={tabs} />
      <List {...props} />
    </>,
  );
}

function List({ page, account, row, part }: FollowsProps) {
  const { ctx, viewerId } = page;
  const texts = page.texts(publicTexts);
  if (hidesFollows(ctx, viewerId, row)) {
    return (
      <p>
        <Text as="bdi" text={texts.hidesFollows(nameOf(account))} emojis={account.emojis} />
      </p>
    );
  }
  const range = rangeOf(page);
  const rows = LISTS[part](ctx, viewerId, row, range);
  const isRemote = row.domain !== null;
  return (
    <>
      {isRemote && (
        <p class="help">
          {texts.onlyKnownAccounts}{" "}
          <a href={account.url} rel="nofollow noopener noreferrer">
            {texts.allOnOriginal}
          </a>
        </p>
      )}
      {rows.length === 0 && !isRemote && <p>{texts.archiveEmpty}</p>}
      <AccountList page={page} ids={idsOf(rows)} />
      <Pagination page={page} range={range} rows={rows} />
    </>
  );
}
