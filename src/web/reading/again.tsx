/** @jsxImportSource preact */
import { requestAddress } from "../../lib/http/params.ts";
import { Form, Hidden, type FormProblems } from "../page/forms.tsx";
import { Head } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";

/** The page for a button whose page was from an earlier session: it asks whether to go on. */
export function againPage(page: UserPage, problems: FormProblems): Response {
  const { messages, params, request } = page;
  const sent = Object.entries(params).flatMap(([name, value]): [string, string][] => {
    if (typeof value === "string") return [[name, value]];
    return Array.isArray(value) ? value.map((each) => [`${name}[]`, String(each)]) : [];
  });
  const title = messages.errorTitle;
  return page.render(
    { title, status: problems.status },
    <>
      <Head title={title} />
      <Form page={page} action={requestAddress(request.url).pathname} problems={problems}>
        {sent
          .filter(([name]) => name !== "csrf" && name !== "lang")
          .map(([name, value]) => (
            <Hidden values={{ [name]: value }} />
          ))}
        <button class="primary">{messages.sendAgain}</button>
      </Form>
    </>,
  );
}
