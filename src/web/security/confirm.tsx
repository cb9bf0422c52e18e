/** @jsxImportSource preact */
import { checkPasskey, offersPasskeys, requestOptions, type Ceremony } from "../../core/sign-in/passkeys.ts";
import { checkTypedProof, countProof } from "../../core/sign-in/proofs.ts";
import { secondFactorsOf } from "../../core/sign-in/second-factors.ts";
import type { Tx } from "../../db/open.ts";
import { Refusal } from "../../errors.ts";
import { requestAddress, targetOf } from "../../lib/http/params.ts";
import { hasRecentProof, recordProof } from "../../oauth/sessions.ts";
import { passkeyScript } from "../assets.ts";
import { waitFor } from "../page/error-pages.tsx";
import { Field, Hidden, Username } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { typedTexts } from "../page/resubmit.tsx";
import { ProviderButtons } from "../providers/buttons.tsx";
import { PasskeyForm } from "../sign-in/passkey-form.tsx";
import { safeReturnPath } from "../page/return-path.ts";
import { signInTexts } from "../sign-in/texts.ts";

/*
 * Sensitive pages ask signed-in users again who they are: a web client on the same origin (LINNET_WEB_CLIENT) could use
 * their session otherwise, and so could others at an open browser.
 */

const CONFIRM = "/settings/confirm";

/** The fields of a proof, beside those of the form that needs it. */
const [TOKEN, TYPED, PASSKEY] = ["proof_csrf", "proof", "proof_passkey"] as const;
const MAX_TYPED = 256;

/** Where the proof for a page leads, which has no fields to send again. */
export function confirmPages(pages: Pages): void {
  // Reloading the page of a wrong proof, by its address.
  pages.userGet(CONFIRM, (page) => page.redirect("/settings"));
  pages.userPost(CONFIRM, {
    isSensitive: true,
    show: returnToPage,
    submit: returnToPage,
  });
}

function returnToPage(page: UserPage): Response {
  return page.redirect(safeReturnPath(page.ctx, page.text("return_to")));
}

/**
 * The page that stands before a sensitive one; null if the user has proved recently who they are, or does so with this
 * request.
 *
 * @throws Refusal of a request by a script or a frame
 */
export async function obstacleTo(page: UserPage): Promise<Response | null> {
  if (!page.isNavigation()) {
    throw new Refusal("forbidden", "This page can't be used by scripts. Open it in a tab and try again.");
  }
  if (hasRecentProof(page.ctx, page.session)) return null;
  if (!page.isFormValid(TOKEN)) return confirmPage(page);
  const attempt = countProof(page.ctx, page.session.userId);
  if (attempt.refused) {
    const { minutes, headers } = waitFor(page, attempt.refused);
    return confirmPage(page, { status: 429, headers, problem: page.messages.tooManyAttempts(minutes) });
  }
  const proof = await proofIn(page);
  if (!("redeem" in proof) || !redeemed(page, proof)) return confirmPage(page, refusalOf(page, proof));
  attempt.giveBack();
  return null;
}

type Proof = { redeem(tx: Tx): boolean } | { problem: "expired" | "refused" };

async function proofIn(page: UserPage): Promise<Proof> {
  const { userId } = page.session;
  const answer = page.text(PASSKEY);
  if (answer !== "") return checkPasskey(page.ctx, ceremonyOf(page), userId, answer);
  const redeem = await checkTypedProof(page.ctx, userId, page.text(TYPED).slice(0, MAX_TYPED + 1));
  return redeem ? { redeem } : { problem: "refused" };
}

function redeemed({ ctx, session }: UserPage, proof: { redeem(tx: Tx): boolean }): boolean {
  return ctx.db.transaction((tx) => {
    if (!proof.redeem(tx)) return false;
    recordProof(ctx, tx, session);
    return true;
  });
}

function refusalOf(page: UserPage, proof: Proof): Shown {
  const texts = page.texts(signInTexts);
  if (page.text(PASSKEY) === "") return { status: 422, wrong: true };
  const hasExpired = "problem" in proof && proof.problem === "expired";
  return { status: 422, passkeyProblem: hasExpired ? texts.passkeyExpired : texts.passkeyFailed };
}

function ceremonyOf(page: UserPage): Ceremony {
  return { purpose: "confirm", browser: page.csrfToken() };
}

interface Shown {
  status?: number;
  headers?: Record<string, string>;
  problem?: string;
  wrong?: boolean;
  passkeyProblem?: string;
}

function confirmPage(page: UserPage, shown: Shown = {}): Response {
  const { messages, ctx, session } = page;
  const texts = page.texts(signInTexts);
  const { codes, passkeys } = secondFactorsOf(ctx.db, session.userId);
  const hasPasskeys = passkeys.length > 0 && offersPasskeys(ctx);
  const { action, fields, filesAreLost } = continuation(page);
  return page.render(
    {
      status: shown.status ?? 403,
      headers: shown.headers,
      title: texts.confirmTitle,
      isFocused: true,
      scripts: hasPasskeys ? [passkeyScript] : [],
    },
    <>
      <Head title={texts.confirmTitle}>
        <p>@{session.username}</p>
      </Head>
      {shown.problem && <Alert>{shown.problem}</Alert>}
      <p>{texts.confirmHelp}</p>
      {filesAreLost && <p>{messages.filesAreLost}</p>}
      {hasPasskeys && (
        <PasskeyForm
          page={page}
          action={action}
          token={TOKEN}
          answer={PASSKEY}
          options={requestOptions(ctx, ceremonyOf(page), session.userId)}
          label={texts.usePasskey}
          problem={shown.passkeyProblem}
        >
          <HiddenFields fields={fields} />
        </PasskeyForm>
      )}
      {(ctx.config.passwordSignIn || codes) && (
        <form method="post" action={action}>
          <Hidden values={{ [TOKEN]: page.csrfToken() }} />
          <HiddenFields fields={fields} />
          <Username name={session.username} />
          <TypedProof page={page} hasCodes={codes} isWrong={shown.wrong ?? false} />
          <button class="primary">{texts.confirm}</button>
        </form>
      )}
      {!ctx.config.passwordSignIn && <ProviderButtons page={page} returnTo={afterProvider(page)} />}
    </>,
  );
}

function TypedProof({ page, hasCodes, isWrong }: { page: UserPage; hasCodes: boolean; isWrong: boolean }) {
  const texts = page.texts(signInTexts);
  const error = isWrong ? texts.wrongProof : null;
  if (!page.ctx.config.passwordSignIn) {
    return (
      <Field
        name={TYPED}
        label={texts.code}
        autocomplete="one-time-code"
        inputMode="numeric"
        help={texts.appCode}
        error={error}
        required
      />
    );
  }
  return (
    <Field
      name={TYPED}
      label={hasCodes ? texts.passwordOrCode : page.messages.password}
      type="password"
      autocomplete="current-password"
      help={hasCodes ? texts.passwordOrCodeHelp : undefined}
      error={error}
      required
      autofocus
    />
  );
}

/** A sign-in with a provider is a proof if there are no passwords. It leads to the page, but what was typed is lost. */
function afterProvider({ request }: UserPage): string {
  return request.method === "GET" ? targetOf(request.url) : "/settings";
}

function HiddenFields({ fields }: { fields: [string, string][] }) {
  return (
    <>
      {fields.map(([name, value]) => (
        <Hidden values={{ [name]: value }} />
      ))}
    </>
  );
}

/** The step after the proof: the page that was opened, or the form that was sent, with what was typed except passwords. */
function continuation(page: UserPage): { action: string; fields: [string, string][]; filesAreLost: boolean } {
  const { request, params } = page;
  if (request.method === "GET") {
    const fields: [string, string][] = [
      ["csrf", page.csrfToken()],
      ["return_to", targetOf(request.url)],
    ];
    return { action: CONFIRM, fields, filesAreLost: false };
  }
  const { fields, hasFiles } = typedTexts(params);
  const kept = fields.filter(([name]) => !name.startsWith("proof") && !name.includes("password"));
  return { action: requestAddress(request.url).pathname, fields: kept, filesAreLost: hasFiles };
}
