/** @jsxImportSource preact */
import { type InteractionPolicy, storedPolicy, type PolicyWord } from "../../core/interaction-policies.ts";
import { STATUS_QUOTE_POLICIES, type StatusQuotePolicy } from "../../core/quotes/policy.ts";
import { Select } from "../page/forms.tsx";
import type { UserPage } from "../page/page-request.tsx";
import { composeTexts } from "./texts.ts";

/** Who may do something with a post: the words of a policy by the value of the form. */
const ALLOWED = { public: ["public"], followers: ["followers"], nobody: [] } as const satisfies Record<
  string,
  readonly PolicyWord[]
>;
type Allowed = keyof typeof ALLOWED;

/** The choices of an author; null for the default or, in an edit, for what it was. */
export interface InteractionValues {
  reply: Allowed | null;
  reblog: Allowed | null;
  quote: StatusQuotePolicy | null;
}

export const NO_CHOICES: InteractionValues = { reply: null, reblog: null, quote: null };

export function typedInteraction(page: UserPage): InteractionValues {
  const allowed = (name: string) =>
    (Object.keys(ALLOWED) as Allowed[]).find((each) => each === page.text(name)) ?? null;
  return {
    reply: allowed("can_reply"),
    reblog: allowed("can_reblog"),
    quote: STATUS_QUOTE_POLICIES.find((each) => each === page.text("can_quote")) ?? null,
  };
}

export function policyOf({ reply, reblog }: InteractionValues): Partial<InteractionPolicy> {
  return {
    ...(reply && { canReply: storedPolicy(ALLOWED[reply]) }),
    ...(reblog && { canReblog: storedPolicy(ALLOWED[reblog]) }),
  };
}

/** Who may reply to a post, boost it and quote it. */
export function Interaction({ page, values, isEdit }: { page: UserPage; values: InteractionValues; isEdit: boolean }) {
  const texts = page.texts(composeTexts);
  const first = { value: "", label: isEdit ? texts.unchanged : texts.byDefault };
  const everyone = [first, { value: "public", label: texts.everyone }, { value: "followers", label: texts.followers }];
  const nobody = { value: "nobody", label: texts.nobody };
  return (
    <details class="part" open={Object.values(values).some(Boolean)}>
      <summary>{texts.interaction}</summary>
      <div class="triple">
        <Select
          name="can_reply"
          label={texts.mayReply}
          value={values.reply ?? ""}
          choices={[...everyone, { value: "nobody", label: texts.mentioned }]}
        />
        <Select name="can_reblog" label={texts.mayBoost} value={values.reblog ?? ""} choices={[...everyone, nobody]} />
        <Select
          name="can_quote"
          label={texts.mayQuote}
          value={values.quote ?? ""}
          choices={[...everyone, { value: "manual", label: texts.withApproval }, nobody]}
        />
      </div>
    </details>
  );
}
