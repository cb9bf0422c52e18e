/** @jsxImportSource preact */
import { Form, Hidden } from "../page/forms.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import { pathOf } from "./journey.tsx";
import { providerTexts } from "./texts.ts";

/** A button for each identity provider, on the sign-in page. */
export function ProviderButtons({ page, returnTo }: { page: PageRequest; returnTo: string }) {
  const texts = page.texts(providerTexts);
  return (
    <>
      {page.ctx.providers.map((provider) => (
        <Form page={page} action={pathOf(provider)}>
          <Hidden values={{ return_to: returnTo }} />
          <button>{texts.signInWith(provider.settings.name)}</button>
        </Form>
      ))}
    </>
  );
}
