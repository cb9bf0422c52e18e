/** @jsxImportSource preact */
import { renewRecoveryCodes } from "../../core/sign-in/second-factors.ts";
import type { FormProblems } from "../page/forms.tsx";
import { Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { settingsPage } from "../settings/settings.tsx";
import { securityTexts } from "./texts.ts";

export const RECOVERY = "/settings/security/recovery-codes";

/** New recovery codes, for users who have used or lost theirs. */
export function recoveryPages(pages: Pages, show: (page: UserPage, problems: FormProblems) => Response): void {
  pages.userPost(RECOVERY, {
    isSensitive: true,
    show,
    submit: (page) => recoveryPage(page, null, renewRecoveryCodes(page.ctx, page.changer)),
  });
}

/** Says what was done, and shows new recovery codes once; null if there are no new ones. */
export function recoveryPage(page: UserPage, done: string | null, codes: string[] | null): Response {
  const texts = page.texts(securityTexts);
  return settingsPage(
    page,
    { title: codes ? texts.recoveryTitle : texts.securityTitle },
    <>
      {done && <Notice>{done}</Notice>}
      {codes && (
        <div class="stack">
          <p>{texts.recoveryHelp}</p>
          <p>{texts.recoverySave}</p>
          <ul class="recovery-codes">
            {codes.map((code) => (
              <li>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      <a class="button" href="/settings/security">
        {codes ? texts.recoverySaved : texts.backToSecurity}
      </a>
    </>,
  );
}
