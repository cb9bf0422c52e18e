/** @jsxImportSource preact */
import { localHandle } from "../../core/addresses.ts";
import { isLoopbackName } from "../../lib/http/ip-addresses.ts";
import { Head, Notice } from "../page/layout.tsx";
import type { UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { QrCode } from "../page/qr-code.tsx";
import { welcomeTexts } from "./welcome-texts.ts";

interface App {
  name: string;
  /** The app's page, or its sign-in with this server already filled in. */
  address(host: string): string;
  platform: keyof (typeof welcomeTexts)["en"]["platforms"];
}

const APPS: App[] = [
  { name: "Phanpy", address: (host) => `https://phanpy.social/#/login?instance=${host}&submit=1`, platform: "web" },
  { name: "Elk", address: () => "https://elk.zone", platform: "web" },
  { name: "Tusky", address: () => "https://tusky.app", platform: "android" },
  { name: "Ivory", address: () => "https://tapbots.com/ivory/", platform: "apple" },
  { name: "Ice Cubes", address: () => "https://github.com/Dimillian/IceCubesApp", platform: "iphone" },
  { name: "Tuba", address: () => "https://tuba.geopjr.dev", platform: "linux" },
  { name: "toot", address: () => "https://toot.bezdomni.net", platform: "terminal" },
];

/** The page for a new owner: how to go on. */
export function welcomePages(pages: Pages): void {
  pages.userGet("/welcome", (page) => {
    const { session, ctx } = page;
    const texts = page.texts(welcomeTexts);
    const title = texts.title(session.displayName || session.username);
    const isHere = isLoopbackName(new URL(ctx.config.origin).hostname);
    return page.render(
      { title },
      <>
        <Head title={title}>
          <p>
            {texts.yourHandle} <strong>{localHandle(ctx, session.username)}</strong>
          </p>
        </Head>
        {isHere && <Notice>{texts.onlyHere}</Notice>}
        <a class="button primary" href="/compose">
          {texts.writeFirst}
        </a>
        <NextSteps page={page} isHere={isHere} />
        <Apps page={page} isHere={isHere} />
      </>,
    );
  });
}

function NextSteps({ page, isHere }: { page: UserPage; isHere: boolean }) {
  const texts = page.texts(welcomeTexts);
  return (
    <section>
      <h2>{texts.next}</h2>
      <ul class="entries links-to">
        <li>
          <a href="/settings/profile">
            <strong>{texts.profile}</strong>
            <span class="help">{texts.profileHelp}</span>
          </a>
        </li>
        <li>
          <a href="/search">
            <strong>{texts.people}</strong>
            <span class="help">{texts.peopleHelp}</span>
          </a>
        </li>
        <li class="step">
          <strong>{texts.backup}</strong>
          <span class="help">
            {texts.backupHelp} <code>linnet backup backups</code>
          </span>
        </li>
        {isHere && (
          <li class="step">
            <strong>{texts.online}</strong>
            <span class="help">
              {texts.onlineHelp} <code>linnet move https://…</code>
            </span>
          </li>
        )}
      </ul>
    </section>
  );
}

/** How to use the server with an app; on localhost, only those on this computer can connect. */
function Apps({ page, isHere }: { page: UserPage; isHere: boolean }) {
  const { origin } = page.ctx.config;
  const { host } = new URL(origin);
  const texts = page.texts(welcomeTexts);
  const apps = isHere ? APPS.filter(({ platform }) => platform === "linux" || platform === "terminal") : APPS;
  return (
    <section>
      <h2>{texts.apps}</h2>
      <p>{isHere ? texts.appsHere : texts.appsHelp}</p>
      <output class="code">{host}</output>
      {!isHere && (
        <details>
          <summary>{texts.qr}</summary>
          <QrCode text={origin} label={texts.qrLabel} />
        </details>
      )}
      <ul class="apps">
        {apps.map(({ name, address, platform }) => (
          <li>
            <a href={address(host)} rel="noreferrer">
              {name}
            </a>{" "}
            <span>{texts.platforms[platform]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
