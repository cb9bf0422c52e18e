/** @jsxImportSource preact */
import { beginAttempt } from "../../core/sign-in/provider-attempts.ts";
import { ProviderError, type IdentityProvider } from "../../lib/openid/provider.ts";
import { Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import { providerTexts } from "./texts.ts";

/** Where a provider is asked for a sign-in; its callback is below. */
export function pathOf({ settings }: IdentityProvider): string {
  return `/sign-in/with/${settings.id}`;
}

/**
 * The page that leads to a provider. A form could not be redirected there: the Content-Security-Policy allows no other
 * origin, and which one it is the provider says only now.
 *
 * @throws ProviderError if the provider doesn't respond as it should
 */
export async function journeyPage(
  page: PageRequest,
  provider: IdentityProvider,
  { userId, returnTo }: { userId: number | null; returnTo: string },
): Promise<Response> {
  const { id: providerId, name } = provider.settings;
  const attempt = beginAttempt(page.ctx, { providerId, browser: page.browserSecret(), userId, returnTo });
  const url = await provider.authorizationUrl(attempt);
  const texts = page.texts(providerTexts);
  return page.render(
    { title: texts.goingTo(name), isFocused: true, headers: { refresh: `0;url=${url.href}` } },
    <>
      <Head title={texts.goingTo(name)}>
        <p>{texts.goingToHelp}</p>
      </Head>
      <a class="button primary" href={url.href}>
        {texts.goingTo(name)}
      </a>
    </>,
  );
}

/** Logs why a provider failed. The page only says that it did. Throws any other error again. */
export function logProviderFailure({ ctx }: PageRequest, { settings }: IdentityProvider, error: unknown): void {
  if (!(error instanceof ProviderError)) throw error;
  ctx.log.warn("A sign-in with {provider} failed: {error}", { provider: settings.name, error: error.message });
}
