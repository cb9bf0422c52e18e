/** @jsxImportSource preact */
import { OUT_OF_BAND } from "../../oauth/apps.ts";
import {
  responseParams,
  AUTHORIZATION_PARAMS,
  readAuthorization,
  type AuthorizationRequest,
  type AuthorizationProblem,
  type Recipient,
} from "../../oauth/authorization.ts";
import { issueCode } from "../../oauth/codes.ts";
import { responseUrl, formActionSources, isWebAddress, recipientOf } from "../../oauth/redirects.ts";
import { broadestScopes } from "../../oauth/scopes.ts";
import type { Session } from "../../oauth/sessions.ts";
import { Hidden } from "../page/forms.tsx";
import { Alert, Head } from "../page/layout.tsx";
import type { Pages } from "../page/page-routes.ts";
import { AUTHORIZE } from "./paths.ts";
import { signInPage } from "./sign-in.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Messages } from "../i18n/messages.ts";

/** The pages on which a user authorizes an app. */
export function authorizePages(pages: Pages): void {
  pages.get(AUTHORIZE, (page) => {
    const request = readAuthorization(page.ctx, page.params);
    if ("problem" in request) return problemPage(page, request);
    const again = !["", "0", "f", "false", "off", "no"].includes(page.text("force_login").toLowerCase());
    // Signing in leads back here without `force_login`, or it would never end.
    if (!page.session || again) return signInPage(page, { returnTo: sameRequest(page) });
    return consentPage(page, page.session, request);
  });

  pages.post(AUTHORIZE, (page) => {
    const request = readAuthorization(page.ctx, page.params);
    if ("problem" in request) return problemPage(page, request);
    const { session } = page;
    if (!session) return page.redirect(sameRequest(page));
    if (!page.isFormValid()) return consentPage(page, session, request, page.messages.formExpired);
    if (page.text("decision") !== "allow") return deny(page, request);
    const code = issueCode(page.ctx, {
      appId: request.app.id,
      userId: session.userId,
      redirectUri: request.redirectUri,
      scopes: request.scopes.join(" "),
      challenge: request.challenge,
    });
    return request.redirectUri === OUT_OF_BAND ? codePage(page, request, code) : send(page, request, { code });
  });
}

/** The URL of this request: the app's parameters are unchanged, unknown ones are left out. */
function sameRequest(page: PageRequest, more: Record<string, string> = {}): string {
  const query = new URLSearchParams();
  for (const name of AUTHORIZATION_PARAMS) {
    const value = page.params[name];
    if (typeof value === "string" && name !== "force_login") query.set(name, value);
  }
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  return `${AUTHORIZE}?${query}`;
}

function deny(page: PageRequest, request: AuthorizationRequest): Response {
  if (request.redirectUri !== OUT_OF_BAND) return send(page, request, { error: "access_denied" });
  const { messages } = page;
  return page.render(
    { title: messages.deniedTitle, isFocused: true },
    <Head title={messages.deniedTitle}>
      <p>{messages.denied(request.app.name)}</p>
    </Head>,
  );
}

/** Sends the response to the app in the response mode it requested. */
function send(page: PageRequest, to: Recipient, answer: Record<string, string>): Response {
  const whole = responseParams(to, answer);
  if (to.mode !== "form_post") return page.redirect(responseUrl(to.redirectUri, to.mode, whole));
  const { messages } = page;
  const title = messages.sendTitle(to.app.name);
  return page.render(
    { title, isFocused: true, formActions: formActionSources(to.redirectUri) },
    <>
      <Head title={title}>
        <p>{messages.sendHelp}</p>
      </Head>
      <form method="post" action={to.redirectUri}>
        <Hidden values={whole} />
        <button class="primary">{messages.continueTo(to.app.name)}</button>
      </form>
    </>,
  );
}

function consentPage(page: PageRequest, session: Session, request: AuthorizationRequest, problem?: string): Response {
  const { messages } = page;
  const title = messages.consentTitle(request.app.name);
  return page.render(
    { status: problem ? 403 : 200, title, isFocused: true, formActions: formActionSources(request.redirectUri) },
    <>
      <Head title={title} />
      {problem && <Alert>{problem}</Alert>}
      <section class="signed-in">
        <p>
          {messages.signedInAs} <strong>@{session.username}</strong>
        </p>
        <a href={sameRequest(page, { force_login: "true" })}>{messages.useOtherAccount}</a>
      </section>
      <section>
        <h2>{messages.appCan}</h2>
        <ul class="scopes">
          {broadestScopes(request.scopes).map((scope) => (
            <li>{messages.scopes[scope]}</li>
          ))}
        </ul>
      </section>
      <Destination messages={messages} redirectUri={request.redirectUri} />
      <form method="post" action={sameRequest(page)}>
        <Hidden values={{ csrf: page.csrfToken() }} />
        <p class="help">{messages.allowWarning}</p>
        <button class="primary" name="decision" value="allow">
          {messages.allow}
        </button>
        <button name="decision" value="deny">
          {messages.deny}
        </button>
      </form>
    </>,
  );
}

function Destination({ messages, redirectUri }: { messages: Messages; redirectUri: string }) {
  if (redirectUri === OUT_OF_BAND) return <p class="destination">{messages.showsCode}.</p>;
  return (
    <p class="destination">
      {isWebAddress(redirectUri) ? messages.returnsToWeb : messages.returnsToApp}{" "}
      <strong title={redirectUri}>{recipientOf(redirectUri)}</strong>
    </p>
  );
}

function codePage(page: PageRequest, request: AuthorizationRequest, code: string): Response {
  const { messages } = page;
  return page.render(
    { title: messages.codeTitle, isFocused: true },
    <>
      <Head title={messages.codeTitle}>
        <p>{messages.codeHelp(request.app.name)}</p>
      </Head>
      <output class="code">{code}</output>
      <p class="help">{messages.codeLifetime}</p>
    </>,
  );
}

/**
 * Explains what is wrong. The app gets the error only if the user follows the link back: an app can register any
 * redirect URI, so an automatic redirect would make this server an open redirector (RFC 9700, section 4.11.2).
 */
function problemPage(page: PageRequest, problem: AuthorizationProblem): Response {
  const { messages } = page;
  const back = problem.recipient === null ? null : addressBack(problem.recipient, problem.error);
  return page.render(
    { status: 400, title: messages.problemTitle, isFocused: true },
    <>
      <Head title={messages.problemTitle} />
      <Alert>{messages.problems[problem.problem]}</Alert>
      {back && (
        <a class="button" href={back} rel="noreferrer">
          {messages.backTo(problem.recipient!.app.name)}
        </a>
      )}
    </>,
  );
}

function addressBack(to: Recipient, error: string): string | null {
  if (to.redirectUri === OUT_OF_BAND) return null;
  const mode = to.mode === "fragment" ? "fragment" : "query";
  return responseUrl(to.redirectUri, mode, responseParams(to, { error }));
}
