/** @jsxImportSource preact */
import { listRules, type Rule } from "../../core/server/rules.ts";
import { currentTerms, hasTerms, listTerms, type Terms } from "../../core/server/terms.ts";
import { showContact } from "../../entities/instance.ts";
import { showPage, showTerms } from "../../entities/pages.ts";
import { Head, Prose } from "../layout.tsx";
import { notFoundPage } from "../not-found.tsx";
import type { Pages } from "../pages.tsx";
import { Person } from "./posts.tsx";
import type { Visit } from "../visit.tsx";
import type { Words } from "../i18n/words.ts";

/** Pages with the owner's texts about the server, the same that apps get. */
export function aboutPages(pages: Pages): void {
  pages.get("/about", aboutPage);
  pages.get("/privacy-policy", privacyPolicyPage);
  pages.get("/terms-of-service", (visit) =>
    hasTerms(visit.ctx.db) ? termsPage(visit, currentTerms(visit.ctx)) : notFoundPage(visit),
  );
  pages.get("/terms-of-service/:date", (visit) => {
    const date = visit.path.at(-1)!;
    const terms = listTerms(visit.ctx.db).find(({ effective_date }) => effective_date === date);
    return terms ? termsPage(visit, terms) : notFoundPage(visit);
  });
}

async function aboutPage(visit: Visit): Promise<Response> {
  const { ctx, words } = visit;
  const { title, description } = ctx.config;
  const { content } = await showPage(ctx, "extended_description");
  const rules = listRules(ctx.db);
  return visit.page(
    { title: words.about, wide: true, isPublic: true },
    <>
      <Head title={title}>
        <p>{description}</p>
      </Head>
      {content && <Prose html={content} />}
      {rules.length > 0 && <Rules words={words} rules={rules} />}
      <Contact visit={visit} />
      <nav class="links">
        <a href="/privacy-policy">{words.privacyPolicy}</a>
        {hasTerms(ctx.db) && <a href="/terms-of-service">{words.termsOfService}</a>}
        <a href="/api">API</a>
      </nav>
    </>,
  );
}

function Rules({ words, rules }: { words: Words; rules: Rule[] }) {
  return (
    <section>
      <h2>{words.rules}</h2>
      <ol class="rules">
        {rules.map((rule) => {
          const { text, hint } = rule.translations[words.language] ?? rule;
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

function Contact({ visit }: { visit: Visit }) {
  const { email, account } = showContact(visit.ctx, visit.mayKnow);
  if (!email && !account) return null;
  return (
    <section>
      <h2>{visit.words.contact}</h2>
      <ul class="people">
        {account && <Person visit={visit} account={account} />}
        {email && (
          <li>
            <a href={`mailto:${email}`}>{email}</a>
          </li>
        )}
      </ul>
    </section>
  );
}

async function privacyPolicyPage(visit: Visit): Promise<Response> {
  const { words } = visit;
  const { content, updated_at } = await showPage(visit.ctx, "privacy_policy");
  return visit.page(
    { title: words.privacyPolicy, wide: true, isPublic: true },
    <>
      <Head title={words.privacyPolicy}>
        <p>{words.changedOn(day(words, updated_at))}</p>
      </Head>
      <Prose html={content} />
    </>,
  );
}

async function termsPage(visit: Visit, terms: Terms): Promise<Response> {
  const { words } = visit;
  const { content, effective, effective_date, succeeded_by } = await showTerms(visit.ctx, terms);
  const since = day(words, effective_date);
  return visit.page(
    { title: words.termsOfService, wide: true, isPublic: true },
    <>
      <Head title={words.termsOfService}>
        <p>{effective ? words.holdSince(since) : words.holdFrom(since)}</p>
        {succeeded_by && (
          <p>
            <a href={`/terms-of-service/${succeeded_by}`}>{words.replacedFrom(day(words, succeeded_by))}</a>
          </p>
        )}
      </Head>
      <Prose html={content} />
    </>,
  );
}

/** Formats the day of a timestamp or date. */
function day(words: Words, moment: string): string {
  return new Intl.DateTimeFormat(words.locale, { dateStyle: "long", timeZone: "UTC" }).format(new Date(moment));
}
