/** @jsxImportSource preact */
import { findAccount, handleOf, localUsername } from "../../core/accounts.ts";
import { localHandle } from "../../core/addresses.ts";
import { addAlias, aliasesOf, removeAlias } from "../../core/people/aliases.ts";
import { canMove, cancelMove, checkMove, moveAway, movedTo, type MoveChecklist } from "../../core/people/moves.ts";
import { parseId } from "../../lib/ids.ts";
import { dayOf } from "../page/dates.tsx";
import {
  ActionButton,
  Field,
  Form,
  type FormProblems,
  Hidden,
  NO_PROBLEMS,
  problemsAt,
  problemsOf,
} from "../page/forms.tsx";
import { Alert } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "../settings/settings.tsx";
import { transferTexts } from "./texts.ts";

const PATH = "/settings/migration";

type Act = (page: UserPage) => Promise<Response> | Response;

/** The page for moves: the accounts that may move here, and what is missing for a move to another one. */
export function migrationPages(pages: Pages): void {
  const show = (page: UserPage, problems: FormProblems) => migrationPage(page, problems);
  pages.userGet(PATH, (page) => show(page, NO_PROBLEMS));
  const post = (name: string, act: Act, { field, isSensitive }: { field?: string; isSensitive?: boolean } = {}) =>
    pages.userPost(`${PATH}/${name}`, {
      isSensitive,
      show,
      submit: async (page) => {
        try {
          return await act(page);
        } catch (error) {
          return show(page, field === undefined ? problemsOf(page, error) : problemsAt(page, error, field));
        }
      },
    });
  post("add-alias", addTyped, { field: "alias" });
  post("remove-alias", (page) => {
    removeAlias(page.ctx, page.session.accountId, parseId(page.text("id")));
    return page.redirect(PATH);
  });
  // Not a redirect: the other server has just been asked.
  post("check", async (page) => migrationPage(page, NO_PROBLEMS, await checked(page)), { field: "to" });
  // Followers who have moved don't come back.
  post("move", move, { field: "to", isSensitive: true });
  post("cancel", (page) => {
    cancelMove(page.ctx, page.session.accountId);
    return page.redirect(PATH);
  });
}

async function addTyped(page: UserPage): Promise<Response> {
  await addAlias(page.ctx, page.session.accountId, page.text("alias").trim());
  return page.redirect(PATH);
}

function checked(page: UserPage): Promise<MoveChecklist> {
  return checkMove(page.ctx, page.session.accountId, page.text("to").trim());
}

async function move(page: UserPage): Promise<Response> {
  await moveAway(page.ctx, page.session.accountId, page.text("to").trim());
  return page.redirect(PATH);
}

async function migrationPage(
  page: UserPage,
  problems: FormProblems,
  checklist: MoveChecklist | null = null,
): Promise<Response> {
  const { ctx, session } = page;
  const texts = page.texts(transferTexts);
  const moved = movedTo(ctx, session.accountId);
  return settingsPage(
    page,
    { title: texts.migration, status: problems.status },
    <>
      {problems.problem && <Alert>{problems.problem}</Alert>}
      {moved === null ? null : <Moved page={page} to={moved} />}
      <MoveHere page={page} problems={problems} />
      {moved === null && (
        <MoveAway
          page={page}
          problems={problems}
          checklist={checklist ?? (await checkMove(ctx, session.accountId, null))}
        />
      )}
    </>,
  );
}

function Moved({ page, to }: { page: UserPage; to: string }) {
  const texts = page.texts(transferTexts);
  return (
    <section>
      <h2>{texts.movedHeading(to)}</h2>
      <p>{texts.movedHelp}</p>
      <ActionButton page={page} action={`${PATH}/cancel`} class="small danger">
        {texts.cancelMove}
      </ActionButton>
      <p class="help">{texts.cancelMoveHelp}</p>
    </section>
  );
}

function MoveHere({ page, problems }: { page: UserPage; problems: FormProblems }) {
  const { ctx, session } = page;
  const texts = page.texts(transferTexts);
  const aliases = aliasesOf(ctx.db, session.accountId).map((id) => ({
    id,
    handle: handleOf(ctx, findAccount(ctx, id)),
  }));
  return (
    <section>
      <h2>{texts.moveHere}</h2>
      <p>{texts.moveHereHelp}</p>
      {aliases.length > 0 && (
        <>
          <p>
            <strong>{texts.aliases}</strong>
          </p>
          <ul class="entries">
            {aliases.map(({ id, handle }) => (
              <li class="entry">
                <strong>{handle}</strong>
                <ActionButton
                  page={page}
                  action={`${PATH}/remove-alias`}
                  values={{ id: String(id) }}
                  label={texts.removeAliasNamed(handle)}
                >
                  {texts.removeAlias}
                </ActionButton>
              </li>
            ))}
          </ul>
        </>
      )}
      <HandleForm
        page={page}
        action="add-alias"
        name="alias"
        label={texts.aliasHandle}
        button={texts.addAlias}
        problems={problems}
      />
    </section>
  );
}

function MoveAway(props: { page: UserPage; problems: FormProblems; checklist: MoveChecklist }) {
  const { page, problems, checklist } = props;
  const texts = page.texts(transferTexts);
  const { to } = checklist;
  return (
    <section id="away">
      <h2>{texts.moveAway}</h2>
      <p>{texts.moveAwayHelp}</p>
      <HandleForm page={page} action="check" name="to" label={texts.moveTo} button={texts.check} problems={problems} />
      <Checklist page={page} checklist={checklist} />
      {to !== null && canMove(checklist) && (
        <Form page={page} action={`${PATH}/move`}>
          <Hidden values={{ to }} />
          <button class="danger">{texts.move(to)}</button>
        </Form>
      )}
    </section>
  );
}

interface HandleFormProps {
  page: UserPage;
  action: string;
  name: string;
  label: string;
  button: string;
  problems: FormProblems;
}

/** Asks for another account. */
function HandleForm({ page, action, name, label, button, problems }: HandleFormProps) {
  return (
    <Form page={page} action={`${PATH}/${action}`}>
      <Field
        name={name}
        label={label}
        help={page.texts(transferTexts).handleHelp}
        error={problems.fields[name]}
        value={page.text(name)}
        autocomplete="off"
        required
      />
      <button class="small">{button}</button>
    </Form>
  );
}

function Checklist({ page, checklist }: { page: UserPage; checklist: MoveChecklist }) {
  const { ctx, session } = page;
  const texts = page.texts(transferTexts);
  const { to, responds, isInUse, namesThis, nextMove } = checklist;
  const own = localHandle(ctx, localUsername(ctx.db, session.accountId)!);
  return (
    <>
      <p>
        <strong>{texts.checklist}</strong>
      </p>
      <ul class="entries">
        {to !== null && (
          <>
            <Step page={page} isDone={responds} text={texts.responds(to)} help={texts.respondsHelp} />
            <Step page={page} isDone={isInUse} text={texts.inUse(to)} help={texts.inUseHelp} />
            <Step page={page} isDone={namesThis} text={texts.namesThis(to, own)} help={texts.namesThisHelp(own)} />
          </>
        )}
        <Step
          page={page}
          isDone={nextMove === null}
          text={texts.pause}
          help={nextMove === null ? "" : texts.pauseHelp(dayOf(page, nextMove, "long"))}
        />
      </ul>
    </>
  );
}

function Step({ page, isDone, text, help }: { page: UserPage; isDone: boolean | null; text: string; help: string }) {
  const texts = page.texts(transferTexts);
  const state = isDone === null ? texts.stepUnknown : isDone ? texts.stepDone : texts.stepMissing;
  return (
    <li>
      <strong>{state}:</strong> {text}
      {isDone === false && <p class="help">{help}</p>}
    </li>
  );
}
