/** @jsxImportSource preact */
import {
  checkNewPasskey,
  creationOptions,
  deletePasskey,
  MAX_PASSKEY_NAME,
  passkeyName,
  renamePasskey,
  type Ceremony,
  type PasskeyRow,
} from "../../core/sign-in/passkeys.ts";
import {
  addSecondFactor,
  removeSecondFactor,
  secondFactorsOf,
  type SecondFactors,
} from "../../core/sign-in/second-factors.ts";
import { notFound } from "../../errors.ts";
import { parseId } from "../../lib/ids.ts";
import { programIn, systemIn } from "../../core/sign-in/user-agents.ts";
import { dayOf } from "../page/dates.tsx";
import { ActionButton, Field, Form, Hidden, type FormProblems } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { PasskeyForm } from "../sign-in/passkey-form.tsx";
import { signInTexts } from "../sign-in/texts.ts";
import { recoveryPage } from "./recovery.tsx";
import { remainingWithout, removalPage } from "./removal.tsx";
import { securityTexts } from "./texts.ts";

const PASSKEYS = "/settings/security/passkeys";

type Show = (page: UserPage, problems: FormProblems) => Response;

/** Adding, renaming and removing passkeys. */
export function passkeyPages(pages: Pages, show: Show): void {
  const isSensitive = true;
  pages.userPost(PASSKEYS, { isSensitive, show, submit: (page) => add(page, show) });
  pages.userPost(`${PASSKEYS}/rename`, { isSensitive, show, submit: rename });
  pages.userForm(`${PASSKEYS}/remove`, { isSensitive, show: removePage, submit: remove });
}

async function add(page: UserPage, show: Show): Promise<Response> {
  const { ctx, session } = page;
  const texts = page.texts(signInTexts);
  const checked = await checkNewPasskey(ctx, ceremonyOf(page), session.userId, page.text("passkey"));
  const problem = (sentence: string) => show(page, { fields: { passkey: sentence }, status: 422 });
  if ("problem" in checked) {
    return problem(checked.problem === "expired" ? texts.passkeyExpired : texts.newPasskeyFailed);
  }
  const { userAgent } = page.client;
  const name = passkeyName(page.text("name")) || systemIn(userAgent) || programIn(userAgent) || "Passkey";
  const { added, recoveryCodes } = addSecondFactor(ctx, page.changer, "passkey_added", (tx) => checked.store(tx, name));
  if (!added) return problem(texts.newPasskeyFailed);
  return recoveryPage(page, page.texts(securityTexts).passkeyAdded, recoveryCodes);
}

function rename(page: UserPage): Response {
  const [id, name] = [parseId(page.text("id")) ?? 0, passkeyName(page.text("name"))];
  const { userId } = page.session;
  if (name !== "") page.ctx.db.transaction((tx) => renamePasskey(tx, userId, id, name));
  return page.redirect("/settings/security?done=passkeyRenamed");
}

/** Of the last passkey. Without it, less protects the account. */
function removePage(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(securityTexts);
  const id = page.text("id");
  const passkey = secondFactorsOf(page.ctx.db, page.session.userId).passkeys.find((each) => String(each.id) === id);
  if (!passkey) throw notFound();
  const title = texts.passkeyRemoveTitle(passkey.name);
  const action = `${PASSKEYS}/remove`;
  const remaining = remainingWithout(page, "passkeys");
  return removalPage(page, { title, button: texts.passkeyRemove, action, values: { id }, remaining }, problems);
}

function remove(page: UserPage): Response {
  const { userId } = page.session;
  const id = parseId(page.text("id")) ?? 0;
  removeSecondFactor(page.ctx, page.changer, "passkey_removed", (tx) => deletePasskey(tx, userId, id));
  return page.redirect("/settings/security?done=passkeyRemoved");
}

function ceremonyOf(page: UserPage): Ceremony {
  return { purpose: "add", browser: page.csrfToken() };
}

export function PasskeySection(props: { page: UserPage; factors: SecondFactors; problems: FormProblems }) {
  const { page, factors, problems } = props;
  const texts = page.texts(securityTexts);
  const { userId: id, username, displayName } = page.session;
  return (
    <section class="stack">
      <h2>{texts.passkeysTitle}</h2>
      <p>{texts.passkeysHelp}</p>
      <ul class="entries">
        {factors.passkeys.map((passkey) => (
          <Passkey page={page} passkey={passkey} isLast={factors.passkeys.length === 1} />
        ))}
      </ul>
      <PasskeyForm
        page={page}
        action={PASSKEYS}
        options={creationOptions(page.ctx, ceremonyOf(page), { id, username, displayName })}
        label={texts.passkeyAdd}
        problem={problems.fields["passkey"]}
        failed={page.texts(signInTexts).newPasskeyFailed}
      >
        <Field
          name="name"
          label={texts.passkeyName}
          optional={page.messages.optional}
          help={texts.passkeyNameExample}
          autocomplete="off"
          maxLength={MAX_PASSKEY_NAME}
          isProse
        />
        <p class="help">{texts.passwordNotEnough}</p>
      </PasskeyForm>
      <noscript>
        <p class="help">{page.texts(signInTexts).passkeysNeedScript}</p>
      </noscript>
    </section>
  );
}

function Passkey({ page, passkey, isLast }: { page: UserPage; passkey: PasskeyRow; isLast: boolean }) {
  const texts = page.texts(securityTexts);
  const { name, created_at, last_used_at } = passkey;
  const id = String(passkey.id);
  return (
    <li>
      <div class="entry">
        <div>
          <strong dir="auto">{name}</strong>
          <p class="help">{texts.addedOn(dayOf(page, created_at))}</p>
          <p class="help">
            {last_used_at === null ? page.messages.notUsedYet : page.messages.lastUsedOn(dayOf(page, last_used_at))}
          </p>
        </div>
        {isLast ? (
          <a class="button small" href={`${PASSKEYS}/remove?id=${id}`} aria-label={texts.passkeyRemoveNamed(name)}>
            {texts.passkeyRemove}
          </a>
        ) : (
          <ActionButton
            page={page}
            action={`${PASSKEYS}/remove`}
            values={{ id }}
            label={texts.passkeyRemoveNamed(name)}
          >
            {texts.passkeyRemove}
          </ActionButton>
        )}
      </div>
      <details>
        <summary>{texts.passkeyRename}</summary>
        <Form page={page} action={`${PASSKEYS}/rename`}>
          <Hidden values={{ id }} />
          <Field
            name="name"
            id={`name-${id}`}
            label={texts.passkeyName}
            value={name}
            autocomplete="off"
            maxLength={MAX_PASSKEY_NAME}
            isProse
            required
          />
          <button aria-label={texts.passkeyRenameNamed(name)}>{page.messages.save}</button>
        </Form>
      </details>
    </li>
  );
}
