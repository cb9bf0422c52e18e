/** @jsxImportSource preact */
import { countAttempt } from "../../core/sign-in/attempts.ts";
import { linkIdentity, recordIdentityUse, userWithIdentity } from "../../core/sign-in/identities.ts";
import { loginOfUser } from "../../core/sign-in/logins.ts";
import { takeAttempt } from "../../core/sign-in/provider-attempts.ts";
import { addressKey } from "../../lib/http/ip-addresses.ts";
import type { Identity, IdentityProvider } from "../../lib/openid/provider.ts";
import { waitFor } from "../page/error-pages.tsx";
import { problemsOf } from "../page/forms.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { safeReturnPath, START } from "../page/return-path.ts";
import { continueSignIn, signInRefusal } from "../sign-in/second-step.tsx";
import { signInPage } from "../sign-in/sign-in.tsx";
import { LINKED, linkFailedPage } from "./identities.tsx";
import { journeyPage, logProviderFailure, pathOf } from "./journey.tsx";
import { providerTexts } from "./texts.ts";

/** The way to each identity provider, and back. */
export function providerPages(pages: Pages): void {
  for (const provider of pages.ctx.providers) {
    pages.post(pathOf(provider), (page) => begin(page, provider));
    pages.get(`${pathOf(provider)}/callback`, (page) => comeBack(page, provider));
  }
}

async function begin(page: PageRequest, provider: IdentityProvider): Promise<Response> {
  const { messages } = page;
  const returnTo = safeReturnPath(page.ctx, page.text("return_to"));
  if (!page.isFormValid()) return signInPage(page, { returnTo, status: 403, problem: messages.cookiesNeeded });
  const { refused } = countJourney(page);
  if (refused) {
    const { minutes, headers } = waitFor(page, refused);
    return signInPage(page, { returnTo, status: 429, headers, problem: messages.tooManyAttempts(minutes) });
  }
  try {
    return await journeyPage(page, provider, { userId: null, returnTo });
  } catch (error) {
    logProviderFailure(page, provider, error);
    return failed(page, provider, returnTo);
  }
}

/** Each causes a row and requests, for anonymous visitors too. */
function countJourney(page: PageRequest) {
  return countAttempt(page.ctx, [`provider ${addressKey(page.address)}`]);
}

/** The provider has sent the browser back. Nothing that it sends along counts without the cookie of the same browser. */
async function comeBack(page: PageRequest, provider: IdentityProvider): Promise<Response> {
  const { id: providerId, name } = provider.settings;
  const state = page.text("state");
  const taken = takeAttempt(page.ctx, { providerId, browser: page.browserSecret(), state });
  if (!taken) return failed(page, provider, START);
  const { attempt, userId, returnTo } = taken;
  const give = (sentence: string) =>
    userId === null ? signInPage(page, { returnTo, status: 403, problem: sentence }) : linkFailedPage(page, sentence);
  const texts = page.texts(providerTexts);
  if (page.text("error") !== "") return give(texts.cancelled(name));
  let identity: Identity;
  try {
    identity = await provider.identify({ code: page.text("code"), issuer: page.text("iss") }, attempt);
  } catch (error) {
    logProviderFailure(page, provider, error);
    return give(texts.failed(name));
  }
  // The attempt is over: a repeat of all this would not find it.
  return page.ctx.db.whenWritable(() =>
    userId === null ? signIn(page, provider, identity, returnTo) : link(page, provider, identity, userId),
  );
}

function signIn(page: PageRequest, provider: IdentityProvider, identity: Identity, returnTo: string): Response {
  const { ctx } = page;
  const { settings } = provider;
  const userId = userWithIdentity(ctx, settings, identity);
  const user = userId === null ? null : loginOfUser(ctx, userId);
  if (!user) {
    ctx.log.info("Sign-in failed: address={address} reason=provider", { address: page.address });
    return signInPage(page, { returnTo, status: 403, problem: page.texts(providerTexts).notLinked(settings.name) });
  }
  const refusal = signInRefusal(page, user);
  if (refusal) return signInPage(page, { returnTo, status: 403, problem: refusal });
  recordIdentityUse(ctx, settings, identity);
  // Many providers send the browser back without asking anything, so a password is the better proof.
  return continueSignIn(page, user, returnTo, !ctx.config.passwordSignIn);
}

function link(page: PageRequest, { settings }: IdentityProvider, identity: Identity, userId: number): Response {
  try {
    linkIdentity(page.ctx, { userId, address: page.address }, settings, identity);
    return page.redirect(LINKED);
  } catch (error) {
    return linkFailedPage(page, problemsOf(page, error).problem!);
  }
}

function failed(page: PageRequest, { settings }: IdentityProvider, returnTo: string): Response {
  return signInPage(page, { returnTo, status: 403, problem: page.texts(providerTexts).failed(settings.name) });
}
