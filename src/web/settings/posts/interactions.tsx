/** @jsxImportSource preact */
import {
  changeDefaultPolicies,
  type DefaultPolicies,
  defaultPolicies,
  type InteractionPolicy,
  newPolicy,
  type PolicyWord,
  storedPolicy,
} from "../../../core/interaction-policies.ts";
import { QUOTE_POLICIES } from "../../../core/quotes/policy.ts";
import { showCredentialAccount } from "../../../entities/accounts.ts";
import { quoteChoices, reblogChoices, replyChoices } from "../../page/choices.ts";
import { type Choice, Form, type FormProblems, Select } from "../../page/forms.tsx";
import { Notice } from "../../page/layout.tsx";
import type { UserPage } from "../../page/page-request.tsx";
import type { Pages } from "../../page/page-routes.ts";
import { settingsPage } from "../settings.tsx";
import { settingsTexts } from "../texts.ts";
import { postsTexts } from "./texts.ts";

const PATH = "/settings/interactions";

/** The page where users decide who may interact with their new posts. Apps can set more: each visibility, favourites. */
export function interactionSettingsPages(pages: Pages): void {
  pages.userForm(PATH, { show, submit });
}

/** A rule that the page offers, for the posts of some visibilities. */
interface Rule {
  name: string;
  visibilities: readonly ["public", "unlisted"] | readonly ["private"];
  list: keyof InteractionPolicy;
  choices(page: UserPage): Choice[];
}

const OPEN = ["public", "unlisted"] as const;
const RULES = {
  reply: { name: "reply", visibilities: OPEN, list: "canReply", choices: (page) => replyChoices(page, "public") },
  reblog: { name: "reblog", visibilities: OPEN, list: "canReblog", choices: reblogChoices },
  privateReply: {
    name: "private_reply",
    visibilities: ["private"],
    list: "canReply",
    choices: (page) => replyChoices(page, "private"),
  },
} satisfies Record<string, Rule>;

function submit(page: UserPage): Response {
  const { ctx, session } = page;
  const quotePolicy = QUOTE_POLICIES.find((policy) => policy === page.text("quote"));
  ctx.db.transaction((tx) => {
    const policies = chosenPolicies(page, defaultPolicies(tx, session.accountId));
    changeDefaultPolicies(tx, session.accountId, policies, quotePolicy);
  });
  return page.redirect(`${PATH}?saved`);
}

/** Rules without a choice stay as an app has set them. */
function chosenPolicies(page: UserPage, before: DefaultPolicies): DefaultPolicies {
  const policies = { ...before };
  for (const rule of Object.values<Rule>(RULES)) {
    const chosen = rule.choices(page).find(({ value }) => value === page.text(rule.name));
    if (!chosen) continue;
    for (const visibility of rule.visibilities) {
      const list = storedPolicy([chosen.value as PolicyWord]);
      policies[visibility] = newPolicy(policies, visibility, { [rule.list]: list });
    }
  }
  return policies;
}

function show(page: UserPage, problems: FormProblems): Response {
  const texts = page.texts(postsTexts);
  const policies = defaultPolicies(page.ctx.db, page.session.accountId);
  const isSent = page.request.method === "POST";
  const { source } = showCredentialAccount(page.ctx, page.session.accountId);
  return settingsPage(
    page,
    { title: page.texts(settingsTexts).interactions, status: problems.status },
    <>
      {page.params["saved"] !== undefined && <Notice>{page.messages.saved}</Notice>}
      <p>{texts.interactionsIntro}</p>
      <Form page={page} action={PATH} problems={problems}>
        <h2>{texts.forEveryone}</h2>
        <RuleSelect page={page} rule={RULES.reply} policies={policies} label={texts.reply} help={texts.replyHelp} />
        <RuleSelect page={page} rule={RULES.reblog} policies={policies} label={texts.reblog} />
        <Select
          name="quote"
          label={texts.quote}
          value={isSent ? page.text("quote") : (source.quote_policy ?? "public")}
          choices={quoteChoices(page)}
        />
        <h2>{texts.forFollowers}</h2>
        <RuleSelect page={page} rule={RULES.privateReply} policies={policies} label={texts.reply} />
        <button class="primary">{page.messages.save}</button>
      </Form>
    </>,
  );
}

function RuleSelect(props: { page: UserPage; rule: Rule; policies: DefaultPolicies; label: string; help?: string }) {
  const { page, rule, policies, label, help } = props;
  const offered = rule.choices(page);
  const lists = rule.visibilities.map((visibility) => newPolicy(policies, visibility, {})[rule.list]);
  const current = offered.find(({ value }) => lists.every((list) => list === storedPolicy([value as PolicyWord])));
  const unchanged = { value: "", label: page.texts(postsTexts).unchanged };
  return (
    <Select
      name={rule.name}
      label={label}
      help={help}
      value={page.request.method === "POST" ? page.text(rule.name) : (current?.value ?? "")}
      choices={current ? offered : [unchanged, ...offered]}
    />
  );
}
