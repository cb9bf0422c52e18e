/** @jsxImportSource preact */
import { showAccounts } from "../../../entities/accounts.ts";
import { showRelationships } from "../../../entities/relationships.ts";
import { Hidden } from "../../page/forms.tsx";
import type { PageRequest, UserPage } from "../../page/page-request.tsx";
import { returnTo } from "../posts/post-actions.tsx";
import { Author, nameOf } from "../author.tsx";
import { ACCOUNTS, Answers, FollowButton, type Relationship } from "./account-actions.tsx";

interface AccountListProps {
  page: PageRequest;
  ids: readonly number[];
  /** Whether they ask to follow the user. */
  asking?: boolean;
}

/** Accounts. For users, each has a button to follow it or, if it asks to follow, buttons to answer. */
export function AccountList({ page, ids, asking = false }: AccountListProps) {
  const known = page.isOfUser() ? showRelationships(page.ctx, page.session.accountId, ids, true) : [];
  const relationships = new Map(known.map((each) => [each.id, each]));
  return (
    <ul class="entries">
      {showAccounts(page.ctx, ids).map((account) => {
        const relationship = relationships.get(account.id);
        const isOther = Number(account.id) !== page.viewerId;
        return (
          <li class="entry">
            <Author page={page} account={account} />
            {page.isOfUser() && relationship && isOther && (
              <AccountForm page={page} relationship={relationship} name={nameOf(account)} asking={asking} />
            )}
          </li>
        );
      })}
    </ul>
  );
}

interface AccountFormProps {
  page: UserPage;
  relationship: Relationship;
  name: string;
  asking: boolean;
}

function AccountForm({ page, relationship, name, asking }: AccountFormProps) {
  return (
    <form class="answers" method="post" action={`${ACCOUNTS}/${relationship.id}`}>
      <Hidden values={{ csrf: page.csrfToken(), return_to: returnTo(page) }} />
      {asking ? (
        <Answers page={page} name={name} />
      ) : (
        <FollowButton page={page} relationship={relationship} name={name} />
      )}
    </form>
  );
}
