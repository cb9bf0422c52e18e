/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { Session } from "../../oauth/sessions.ts";
import type { Messages } from "../i18n/messages.ts";
import { Icon, type IconName } from "./icons.tsx";
import type { Site } from "./layout.tsx";

interface NavigationProps {
  site: Site;
  messages: Messages;
  session: Session | null;
  /** The path of the page, whose own link is marked. */
  path: string;
  /** The number of unread notifications. */
  unread: number;
}

/** More unread notifications are only counted up to this number. */
export const MAX_UNREAD = 100;

/** The bar above a page: the areas for signed-in users, or a way to sign in. */
export function Navigation({ site, messages, session, path, unread }: NavigationProps) {
  return (
    <nav class="top" aria-label={messages.navigation}>
      <a class="brand" href="/">
        <img src={site.icon.path} width="28" height="28" alt="" />
        <span>{site.title}</span>
      </a>
      {session ? (
        <ul>
          <Area icon="home" href="/home" label={messages.home} path={path} />
          <Area icon="bell" href="/notifications" label={messages.notifications} path={path}>
            {unread > 0 && (
              <span class="count">
                <span aria-hidden="true">{unread < MAX_UNREAD ? unread : `${MAX_UNREAD - 1}+`}</span>
                <span class="visually-hidden">{messages.unread(unread)}</span>
              </span>
            )}
          </Area>
          <Area icon="pen" href="/compose" label={messages.compose} path={path} />
          <Area icon="person" href={`/@${session.username}`} label={messages.profile} path={path} />
          <Area icon="gear" href="/settings" label={messages.settings} path={path} />
        </ul>
      ) : (
        <a href="/sign-in">{messages.signIn}</a>
      )}
    </nav>
  );
}

interface AreaProps {
  icon: IconName;
  href: string;
  label: string;
  path: string;
  children?: ComponentChildren;
}

function Area({ icon, href, label, path, children }: AreaProps) {
  const isHere = path === href || path.startsWith(`${href}/`);
  return (
    <li>
      <a href={href} aria-current={isHere ? "page" : undefined}>
        <Icon name={icon} />
        <span>{label}</span>
        {children}
      </a>
    </li>
  );
}
