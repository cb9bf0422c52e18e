/** @jsxImportSource preact */
import {
  type InteractionPolicy,
  POLICY_WORDS,
  type PolicyWord,
  storedPolicy,
} from "../../core/interaction-policies.ts";
import { STATUS_QUOTE_POLICIES, type StatusQuotePolicy } from "../../core/quotes/policy.ts";
import { quoteChoices, reblogChoices, replyChoices } from "../page/choices.ts";
import { Select } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";

/** The accounts that may do something with a post; null for the author's default or, in an edit, for what it was. */
export interface InteractionValues {
  reply: PolicyWord | null;
  reblog: PolicyWord | null;
  quote: StatusQuotePolicy | null;
}

export const NO_CHOICES: InteractionValues = { reply: null, reblog: null, quote: null };

export function typedInteraction(page: UserPage): InteractionValues {
  const word = (name: string) => POLICY_WORDS.find((each) => each === page.text(name)) ?? null;
  return {
    reply: word("can_reply"),
    reblog: word("can_reblog"),
    quote: STATUS_QUOTE_POLICIES.find((each) => each === page.text("can_quote")) ?? null,
  };
}

export function policyOf({ reply, reblog }: InteractionValues): Partial<InteractionPolicy> {
  return {
    ...(reply && { canReply: storedPolicy([reply]) }),
    ...(reblog && { canReblog: storedPolicy([reblog]) }),
  };
}

/** Selects for the accounts that may reply to a post, boost it and quote it. */
export function Interaction({ page, values, isEdit }: { page: UserPage; values: InteractionValues; isEdit: boolean }) {
  const texts = page.texts(composeTexts);
  const first = { value: "", label: isEdit ? texts.unchanged : texts.byDefault };
  return (
    <details class="part" open={Object.values(values).some(Boolean)}>
      <summary>{texts.interaction}</summary>
      <div class="triple">
        <Select
          name="can_reply"
          label={texts.mayReply}
          value={values.reply ?? ""}
          choices={[first, ...replyChoices(page, "public")]}
        />
        <Select
          name="can_reblog"
          label={texts.mayBoost}
          value={values.reblog ?? ""}
          choices={[first, ...reblogChoices(page)]}
        />
        <Select
          name="can_quote"
          label={texts.mayQuote}
          value={values.quote ?? ""}
          choices={[first, ...quoteChoices(page), { value: "manual", label: texts.withApproval }]}
        />
      </div>
    </details>
  );
}
