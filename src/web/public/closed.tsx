/** @jsxImportSource preact */
import { Head } from "../layout.tsx";
import type { Visit } from "../visit.tsx";

/** Shown instead of pages that need signing in (LINNET_LIMITED_FEDERATION, LINNET_PUBLIC_PREVIEW). */
export function closedPage(visit: Visit): Response {
  const { words } = visit;
  return visit.page(
    { status: 403, title: words.closedTitle },
    <>
      <Head title={words.closedTitle}>
        <p>{words.closed}</p>
      </Head>
      <a class="button" href="/sign-in">
        {words.signIn}
      </a>
    </>,
  );
}

/** Shown instead of a suspended account's profile. */
export function suspendedPage(visit: Visit): Response {
  const { words } = visit;
  return visit.page(
    { status: 410, title: words.suspendedTitle },
    <Head title={words.suspendedTitle}>
      <p>{words.suspended}</p>
    </Head>,
  );
}
