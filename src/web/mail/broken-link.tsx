/** @jsxImportSource preact */
import { Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";
import { mailTexts } from "./texts.ts";

/** The page for a link from an e-mail that doesn't work, or not any more. `again` is where to ask for another one. */
export function brokenLinkPage(page: PageRequest, again: string | null): Response {
  const texts = page.texts(mailTexts);
  return page.render(
    { status: 404, title: texts.brokenLinkTitle, isFocused: true },
    <>
      <Head title={texts.brokenLinkTitle}>
        <p>{texts.brokenLink}</p>
      </Head>
      <a class="button" href={again ?? "/"}>
        {again === null ? page.messages.toStartPage : texts.askAgain}
      </a>
    </>,
  );
}
