/** @jsxImportSource preact */
import { OUT_OF_BAND } from "../oauth/apps.ts";
import {
  answerFor,
  AUTHORIZATION_PARAMS,
  readAuthorization,
  type AuthorizationRequest,
  type Problem,
  type Recipient,
} from "../oauth/authorization.ts";
import { giveCode } from "../oauth/codes.ts";
import { answerAddress, formActionSources, isWebAddress, recipientOf } from "../oauth/redirects.ts";
import { widest } from "../oauth/scopes.ts";
import type { Session } from "../oauth/sessions.ts";
import { Alert, Head, Hidden } from "./layout.tsx";
import type { Pages } from "./pages.tsx";
import { AUTHORIZE, signInPage } from "./sign-in.tsx";
import type { Visit } from "./visit.tsx";
import type { Words } from "./i18n/words.ts";

/** The pages on which a user authorizes an app. */
export function authorizePages(pages: Pages): void {
  pages.get(AUTHORIZE, (visit) => {
    const request = readAuthorization(visit.ctx, visit.params);
    if ("problem" in request) return problemPage(visit, request);
    const again = !["", "0", "f", "false", "off", "no"].includes(visit.text("force_login").toLowerCase());
    // Signing in leads back here without `force_login`, or it would never end.
    if (!visit.session || again) return signInPage(visit, { returnTo: sameRequest(visit) });
    return consentPage(visit, visit.session, request);
  });

  pages.post(AUTHORIZE, (visit) => {
    const request = readAuthorization(visit.ctx, visit.params);
    if ("problem" in request) return problemPage(visit, request);
    const { session } = visit;
    if (!session) return visit.redirect(sameRequest(visit));
    if (!visit.isFormOurs()) return consentPage(visit, session, request, visit.words.formExpired);
    if (visit.text("decision") !== "allow") return deny(visit, request);
    const code = giveCode(visit.ctx, {
      appId: request.app.id,
      userId: session.userId,
      redirectUri: request.redirectUri,
      scopes: request.scopes.join(" "),
      challenge: request.challenge,
    });
    return request.redirectUri === OUT_OF_BAND ? codePage(visit, request, code) : send(visit, request, { code });
  });
}

/** The URL of this request: the app's parameters are unchanged, unknown ones are left out. */
function sameRequest(visit: Visit, more: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  for (const name of AUTHORIZATION_PARAMS) {
    const value = visit.params[name];
    if (typeof value === "string" && name !== "force_login") query.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `${AUTHORIZE}?${query}`;
}

function deny(visit: Visit, request: AuthorizationRequest): Response {
  if (request.redirectUri !== OUT_OF_BAND) return send(visit, request, { error: "access_denied" });
  const { words } = visit;
  return visit.page(
    { title: words.deniedTitle },
    <Head title={words.deniedTitle}>
      <p>{words.denied(request.app.name)}</p>
    </Head>,
  );
}

/** Sends the response to the app in the response mode it requested. */
function send(visit: Visit, to: Recipient, answer: Record<string, string>): Response {
  const whole = answerFor(to, answer);
  if (to.mode !== "form_post") return visit.redirect(answerAddress(to.redirectUri, to.mode, whole));
  const { words } = visit;
  const title = words.sendTitle(to.app.name);
  return visit.page(
    { title, formActions: formActionSources(to.redirectUri) },
    <>
      <Head title={title}>
        <p>{words.sendHelp}</p>
      </Head>
      <form method="post" action={to.redirectUri}>
        <Hidden values={whole} />
        <button class="primary">{words.continueTo(to.app.name)}</button>
      </form>
    </>,
  );
}

function consentPage(visit: Visit, session: Session, request: AuthorizationRequest, problem?: string): Response {
  const { words } = visit;
  const title = words.consentTitle(request.app.name);
  return visit.page(
    { status: problem ? 403 : 200, title, formActions: formActionSources(request.redirectUri) },
    <>
      <Head title={title} />
      {problem && <Alert>{problem}</Alert>}
      <section class="who">
        <p>
          {words.signedInAs} <strong>@{session.username}</strong>
        </p>
        <a href={sameRequest(visit, { force_login: "true" })}>{words.useAnother}</a>
      </section>
      <section>
        <h2>{words.appMay}</h2>
        <ul class="scopes">
          {widest(request.scopes).map((scope) => (
            <li>{words.scopes[scope]}</li>
          ))}
        </ul>
      </section>
      <Destination words={words} redirectUri={request.redirectUri} />
      <form method="post" action={sameRequest(visit)}>
        <Hidden values={{ csrf: visit.csrfToken() }} />
        <p class="help">{words.onlyIfYours}</p>
        <button class="primary" name="decision" value="allow">
          {words.allow}
        </button>
        <button name="decision" value="deny">
          {words.deny}
        </button>
      </form>
    </>,
  );
}

function Destination({ words, redirectUri }: { words: Words; redirectUri: string }) {
  if (redirectUri === OUT_OF_BAND) return <p class="destination">{words.showsCode}.</p>;
  return (
    <p class="destination">
      {isWebAddress(redirectUri) ? words.returnsToWeb : words.returnsToApp}{" "}
      <strong title={redirectUri}>{recipientOf(redirectUri)}</strong>
    </p>
  );
}

function codePage(visit: Visit, request: AuthorizationRequest, code: string): Response {
  const { words } = visit;
  return visit.page(
    { title: words.codeTitle },
    <>
      <Head title={words.codeTitle}>
        <p>{words.codeHelp(request.app.name)}</p>
      </Head>
      <output class="code">{code}</output>
      <p class="help">{words.codeLifetime}</p>
    </>,
  );
}

/**
 * Explains what is wrong. The app gets the error only if the user follows the link back: an app can register any
 * redirect URI, so an automatic redirect would make this server an open redirector (RFC 9700, section 4.11.2).
 */
function problemPage(visit: Visit, problem: Problem): Response {
  const { words } = visit;
  const back = problem.recipient === null ? null : addressBack(problem.recipient, problem.error);
  return visit.page(
    { status: 400, title: words.problemTitle },
    <>
      <Head title={words.problemTitle} />
      <Alert>{words.problems[problem.problem]}</Alert>
      {back && (
        <a class="button" href={back} rel="noreferrer">
          {words.backTo(problem.recipient!.app.name)}
        </a>
      )}
    </>,
  );
}

function addressBack(to: Recipient, error: string): string | null {
  if (to.redirectUri === OUT_OF_BAND) return null;
  const mode = to.mode === "fragment" ? "fragment" : "query";
  return answerAddress(to.redirectUri, mode, answerFor(to, { error }));
}
