/** @jsxImportSource preact */
import type { Session } from "../../oauth/sessions.ts";
import { favicon } from "../assets.ts";
import type { Messages } from "../i18n/messages.ts";
import { Icon, type IconName } from "./icons.tsx";

interface NavigationProps {
  server: string;
  messages: Messages;
  session: Session | null;
  /** The path of the page, whose own link is marked. */
  path: string;
}

/** The bar above a page: the areas for signed-in users, or a way to sign in. */
export function Navigation({ server, messages, session, path }: NavigationProps) {
  return (
    <nav class="top" aria-label={messages.navigation}>
      <a class="brand" href="/">
        <img src={favicon.path} width="28" height="28" alt="" />
        <span>{server}</span>
      </a>
      {session ? (
        <ul>
          <Area icon="person" href={`/@${session.username}`} label={messages.profile} path={path} />
          <Area icon="gear" href="/settings" label={messages.settings} path={path} />
        </ul>
      ) : (
        <a href="/sign-in">{messages.signIn}</a>
      )}
    </nav>
  );
}

function Area({ icon, href, label, path }: { icon: IconName; href: string; label: string; path: string }) {
  const isHere = path === href || path.startsWith(`${href}/`);
  return (
    <li>
      <a href={href} aria-current={isHere ? "page" : undefined}>
        <Icon name={icon} />
        <span>{label}</span>
      </a>
    </li>
  );
}
