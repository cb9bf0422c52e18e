/** @jsxImportSource preact */
import { requestAddress, type Params } from "../../lib/http/params.ts";
import { Hidden } from "./forms.tsx";
import { Head } from "./layout.tsx";
import type { PageRequest } from "./page-request.tsx";

/**
 * The page for a form of a browser whose session has ended: users can sign in in a new tab, and send the form again
 * without typing it again. Its form has no valid token, so the next page shows the filled form to confirm.
 */
export function resubmitPage(page: PageRequest): Response {
  const { messages, params } = page;
  const typed = typedTexts(params);
  return page.render(
    { status: 403, title: messages.signedOutTitle, isFocused: true },
    <>
      <Head title={messages.signedOutTitle}>
        <p>{messages.signedOut}</p>
        {typed.hasFiles && <p>{messages.filesAreLost}</p>}
      </Head>
      <a class="button" href="/sign-in" target="_blank">
        {messages.signIn}
      </a>
      <form method="post" action={requestAddress(page.request.url).pathname}>
        {typed.fields
          .filter(([name]) => name !== "csrf")
          .map(([name, value]) => (
            <Hidden values={{ [name]: value }} />
          ))}
        <button class="primary">{messages.sendAgain}</button>
      </form>
    </>,
  );
}

/** The texts of a form by the names of their fields. */
export function typedTexts(params: Params): { fields: [string, string][]; hasFiles: boolean } {
  const fields: [string, string][] = [];
  let hasFiles = false;
  const add = (name: string, value: Params[string]): void => {
    if (typeof value === "string") fields.push([name, value]);
    else if (value instanceof File) hasFiles ||= value.size > 0;
    else if (Array.isArray(value)) value.forEach((each) => add(`${name}[]`, each));
    else if (value && typeof value === "object")
      for (const [key, each] of Object.entries(value)) add(`${name}[${key}]`, each);
  };
  for (const [name, value] of Object.entries(params)) add(name, value);
  return { fields, hasFiles };
}
