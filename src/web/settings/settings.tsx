/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { isOwner } from "../../core/people/users.ts";
import { mayInvite } from "../../core/people/invitations.ts";
import type { Messages } from "../i18n/messages.ts";
import { ActionButton } from "../page/forms.tsx";
import type { PageOptions, UserPage } from "../page/page-request.tsx";
import type { Pages } from "../page/page-routes.ts";
import { transferTexts } from "../transfer/texts.ts";
import { settingsTexts } from "./texts.ts";

type SettingsTexts = (typeof settingsTexts)["en"] & { transfer: (typeof transferTexts)["en"] };

interface Section {
  path: string;
  title(texts: SettingsTexts, messages: Messages): string;
  /** One line about what can be done there. */
  help(texts: SettingsTexts): string;
  /** Whether the user may open it. By default, all may. */
  isFor?(page: UserPage): boolean;
}

interface Group {
  title(texts: SettingsTexts): string;
  sections: Section[];
}

/** All pages of the settings, in the order in which /settings lists them. */
const GROUPS: Group[] = [
  {
    title: (texts) => texts.account,
    sections: [
      { path: "/settings/profile", title: (_, messages) => messages.profile, help: (texts) => texts.profileHelp },
      { path: "/settings/privacy", title: (texts) => texts.privacy, help: (texts) => texts.privacyHelp },
      { path: "/settings/security", title: (texts) => texts.security, help: (texts) => texts.securityHelp },
      { path: "/settings/email", title: (texts) => texts.email, help: (texts) => texts.emailHelp },
      { path: "/settings/apps", title: (_, messages) => messages.appsAndBrowsers, help: (texts) => texts.appsHelp },
      {
        path: "/settings/invitations",
        title: (texts) => texts.invitations,
        help: (texts) => texts.invitationsHelp,
        isFor: ({ ctx, session }) => mayInvite(ctx, session.role),
      },
      { path: "/settings/appearance", title: (texts) => texts.appearance, help: (texts) => texts.appearanceHelp },
      { path: "/settings/storage", title: (texts) => texts.storage, help: (texts) => texts.storageHelp },
    ],
  },
  {
    title: (texts) => texts.postingGroup,
    sections: [
      { path: "/settings/posting", title: (texts) => texts.posting, help: (texts) => texts.postingHelp },
      { path: "/settings/interactions", title: (texts) => texts.interactions, help: (texts) => texts.interactionsHelp },
      { path: "/settings/automated-deletion", title: (texts) => texts.deletion, help: (texts) => texts.deletionHelp },
    ],
  },
  {
    title: (texts) => texts.readingGroup,
    sections: [
      {
        path: "/settings/notifications",
        title: (texts) => texts.notificationPolicy,
        help: (texts) => texts.notificationPolicyHelp,
      },
      { path: "/settings/filters", title: (texts) => texts.filters, help: (texts) => texts.filtersHelp },
      { path: "/settings/lists", title: (texts) => texts.lists, help: (texts) => texts.listsHelp },
      { path: "/settings/hashtags", title: (texts) => texts.hashtags, help: (texts) => texts.hashtagsHelp },
      { path: "/settings/feed", title: (texts) => texts.feed, help: (texts) => texts.feedSection },
    ],
  },
  {
    title: (texts) => texts.peopleGroup,
    sections: [
      { path: "/settings/blocks", title: (texts) => texts.blocks, help: (texts) => texts.blocksHelp },
      { path: "/settings/mutes", title: (texts) => texts.mutes, help: (texts) => texts.mutesHelp },
      {
        path: "/settings/domain-blocks",
        title: (texts) => texts.domainBlocks,
        help: (texts) => texts.domainBlocksHelp,
      },
    ],
  },
  {
    title: ({ transfer }) => transfer.group,
    sections: [
      {
        path: "/settings/import",
        title: ({ transfer }) => transfer.import,
        help: ({ transfer }) => transfer.importSection,
      },
      {
        path: "/settings/export",
        title: ({ transfer }) => transfer.export,
        help: ({ transfer }) => transfer.exportSection,
      },
      {
        path: "/settings/migration",
        title: ({ transfer }) => transfer.migration,
        help: ({ transfer }) => transfer.migrationSection,
      },
      {
        path: "/settings/delete-account",
        title: (texts) => texts.deleteAccount,
        help: (texts) => texts.deleteAccountHelp,
      },
    ],
  },
];

/** Only for owners. */
const OF_SERVER: Group = {
  title: (texts) => texts.serverGroup,
  sections: [{ path: "/settings/server", title: (texts) => texts.server, help: (texts) => texts.serverHelp }],
};

/** The list of all settings. */
export function settingsPages(pages: Pages): void {
  pages.userGet("/settings", (page) => {
    const { messages } = page;
    const texts = { ...page.texts(settingsTexts), transfer: page.texts(transferTexts) };
    const groups = isOwner(page.ctx.db, page.session.userId) ? [...GROUPS, OF_SERVER] : GROUPS;
    return page.render(
      { title: messages.settings, wide: true },
      <>
        <h1>{messages.settings}</h1>
        {groups.map(({ title, sections }) => (
          <section>
            <h2>{title(texts)}</h2>
            <ul class="entries links-to">
              {sections
                .filter(({ isFor }) => isFor?.(page) ?? true)
                .map((section) => (
                  <li>
                    <a href={section.path}>
                      <strong>{section.title(texts, messages)}</strong>
                      <span class="help">{section.help(texts)}</span>
                    </a>
                  </li>
                ))}
            </ul>
          </section>
        ))}
        <section>
          <h2>@{page.session.username}</h2>
          <ActionButton page={page} action="/sign-out">
            {messages.signOut}
          </ActionButton>
        </section>
      </>,
    );
  });
}

/** One page of the settings, with the way back to the list. */
export function settingsPage(page: UserPage, options: PageOptions, children: ComponentChildren): Response {
  const texts = page.texts(settingsTexts);
  return page.render(
    { wide: true, ...options },
    <>
      <div>
        <a class="back" href="/settings">
          {texts.back}
        </a>
        <h1>{options.title}</h1>
      </div>
      {children}
    </>,
  );
}
