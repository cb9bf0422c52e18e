/** @jsxImportSource preact */
import { listRules, type Rule } from "../../../core/server/rules.ts";
import { currentTerms, hasTerms, listTerms, type Terms } from "../../../core/server/terms.ts";
import { showContact } from "../../../entities/instance.ts";
import { showPage, showTerms } from "../../../entities/pages.ts";
import { Head, Prose } from "../../page/layout.tsx";
import { notFoundPage } from "../../page/error-pages.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { AccountItem } from "../author.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import type { Messages } from "../../i18n/messages.ts";

/** Pages with the owner's texts about the server, the same that apps get. */
export function aboutPages(pages: Pages): void {
  pages.get("/about", aboutPage);
  pages.get("/privacy-policy", privacyPolicyPage);
  pages.get("/terms-of-service", (page) =>
    hasTerms(page.ctx.db) ? termsPage(page, currentTerms(page.ctx)) : notFoundPage(page),
  );
  pages.get("/terms-of-service/:date", (page) => {
    const date = page.path.at(-1)!;
    const terms = listTerms(page.ctx.db).find(({ effective_date }) => effective_date === date);
    return terms ? termsPage(page, terms) : notFoundPage(page);
  });
}

async function aboutPage(page: PageRequest): Promise<Response> {
  const { ctx, messages } = page;
  const { title, description } = ctx.config;
  const { content } = showPage(ctx, "extended_description");
  const rules = listRules(ctx.db);
  return page.render(
    { title: messages.about, wide: true, isPublic: true },
    <>
      <Head title={title}>
        <p>{description}</p>
      </Head>
      {content && <Prose html={content} />}
      {rules.length > 0 && <Rules messages={messages} rules={rules} />}
      <Contact page={page} />
      <nav class="links">
        <a href="/privacy-policy">{messages.privacyPolicy}</a>
        {hasTerms(ctx.db) && <a href="/terms-of-service">{messages.termsOfService}</a>}
        <a href="/api">API</a>
      </nav>
    </>,
  );
}

function Rules({ messages, rules }: { messages: Messages; rules: Rule[] }) {
  return (
    <section>
      <h2>{messages.rules}</h2>
      <ol class="rules">
        {rules.map((rule) => {
          const { text, hint } = rule.translations[messages.language] ?? rule;
          return (
            <li>
              {text}
              {hint && <p class="help">{hint}</p>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Contact({ page }: { page: PageRequest }) {
  const { email, account } = showContact(page.ctx, page.maySeeAccounts);
  if (!email && !account) return null;
  return (
    <section>
      <h2>{page.messages.contact}</h2>
      <ul class="accounts">
        {account && <AccountItem page={page} account={account} />}
        {email && (
          <li>
            <a href={`mailto:${email}`}>{email}</a>
          </li>
        )}
      </ul>
    </section>
  );
}

async function privacyPolicyPage(page: PageRequest): Promise<Response> {
  const { messages } = page;
  const { content, updated_at } = showPage(page.ctx, "privacy_policy");
  return page.render(
    { title: messages.privacyPolicy, wide: true, isPublic: true },
    <>
      <Head title={messages.privacyPolicy}>
        <p>{messages.changedOn(day(messages, updated_at))}</p>
      </Head>
      <Prose html={content} />
    </>,
  );
}

async function termsPage(page: PageRequest, terms: Terms): Promise<Response> {
  const { messages } = page;
  const { content, effective, effective_date, succeeded_by } = showTerms(page.ctx, terms);
  const since = day(messages, effective_date);
  return page.render(
    { title: messages.termsOfService, wide: true, isPublic: true },
    <>
      <Head title={messages.termsOfService}>
        <p>{effective ? messages.effectiveSince(since) : messages.effectiveFrom(since)}</p>
        {succeeded_by && (
          <p>
            <a href={`/terms-of-service/${succeeded_by}`}>{messages.replacedFrom(day(messages, succeeded_by))}</a>
          </p>
        )}
      </Head>
      <Prose html={content} />
    </>,
  );
}

/** Formats the day of a timestamp or date. */
function day(messages: Messages, moment: string): string {
  return new Intl.DateTimeFormat(messages.locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(moment));
}
