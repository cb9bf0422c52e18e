/** @jsxImportSource preact */
import { Head } from "../page/layout.tsx";
import type { PageRequest } from "../page/page-request.tsx";

/** Shown instead of pages that need signing in (LINNET_LIMITED_FEDERATION, LINNET_PUBLIC_PREVIEW). */
export function closedPage(page: PageRequest): Response {
  const { messages } = page;
  return page.render(
    { status: 403, title: messages.membersOnlyTitle },
    <>
      <Head title={messages.membersOnlyTitle}>
        <p>{messages.membersOnly}</p>
      </Head>
      <a class="button" href="/sign-in">
        {messages.signIn}
      </a>
    </>,
  );
}

/** Shown instead of a suspended account's profile. */
export function suspendedPage(page: PageRequest): Response {
  const { messages } = page;
  return page.render(
    { status: 410, title: messages.suspendedTitle },
    <Head title={messages.suspendedTitle}>
      <p>{messages.suspended}</p>
    </Head>,
  );
}
