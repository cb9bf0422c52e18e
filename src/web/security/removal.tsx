/** @jsxImportSource preact */
import { secondFactorsOf } from "../../core/sign-in/second-factors.ts";
import { Form, type FormProblems, Hidden } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { settingsPage } from "../settings/settings.tsx";
import { securityTexts } from "./texts.ts";

interface Removal {
  title: string;
  button: string;
  action: string;
  values?: Record<string, string>;
  /** The second factors that still protect the account afterwards. */
  remaining: "codes" | "passkeys" | null;
}

/** The second factors that are left without the codes, or without the last passkey. */
export function remainingWithout(page: UserPage, removed: "codes" | "passkeys"): Removal["remaining"] {
  const { codes, passkeys } = secondFactorsOf(page.ctx.db, page.session.userId);
  if (removed === "codes") return passkeys.length > 0 ? "passkeys" : null;
  return codes ? "codes" : null;
}

/** Asks whether a second factor should go, and says what it is for. */
export function removalPage(page: UserPage, removal: Removal, problems: FormProblems): Response {
  const texts = page.texts(securityTexts);
  const { title, button, action, values, remaining } = removal;
  return settingsPage(
    page,
    { title, status: problems.status },
    <>
      <p>{remaining === null ? texts.nothingRemains : texts.remaining[remaining]}</p>
      <Form page={page} action={action} problems={problems}>
        {values && <Hidden values={values} />}
        <div class="side-by-side">
          <button class="danger">{button}</button>
          <a class="button" href="/settings/security">
            {texts.keepIt}
          </a>
        </div>
      </Form>
    </>,
  );
}
