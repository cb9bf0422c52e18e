/** @jsxImportSource preact */
import { localHandle } from "../../core/addresses.ts";
import type { AccountJson } from "../../entities/accounts.ts";
import type { PageRequest } from "../page/page-request.tsx";
import { Text } from "../page/rich-text.tsx";
import { accountPath } from "./links.ts";

export function nameOf(account: AccountJson): string {
  return account.display_name || account.username;
}

/** The full handle, with the domain of local accounts too. */
export function handleOf(page: PageRequest, account: AccountJson): string {
  return account.acct.includes("@") ? `@${account.acct}` : localHandle(page.ctx, account.username);
}

/** The picture and the link are properties of the `h-card` as long as no other one begins with `u-` (microformats2). */
export function Author({ page, account }: { page: PageRequest; account: AccountJson }) {
  return (
    <a class="author p-author h-card" href={accountPath(page, account)}>
      <img src={page.local(account.avatar)} width="48" height="48" alt="" loading="lazy" />
      <span>
        <Text as="bdi" class="p-name" text={nameOf(account)} emojis={account.emojis} />
        <span>{handleOf(page, account)}</span>
      </span>
    </a>
  );
}

/** An account in a list. */
export function AccountItem({ page, account }: { page: PageRequest; account: AccountJson }) {
  return (
    <li>
      <a href={accountPath(page, account)}>
        <Text as="bdi" text={nameOf(account)} emojis={account.emojis} />
      </a>{" "}
      <span>{handleOf(page, account)}</span>
    </li>
  );
}
