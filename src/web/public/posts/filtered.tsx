/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import type { FILTER_CONTEXTS } from "../../../core/timelines/filters.ts";
import type { FilterResultJson } from "../../../entities/statuses/filters.ts";
import { Text } from "../../page/rich-text.tsx";
import type { PageRequest } from "../../page/page-request.tsx";
import { actionTexts } from "../action-texts.ts";

export type FilterContext = (typeof FILTER_CONTEXTS)[number];
type Filter = FilterResultJson["filter"];

const STRENGTH: readonly Filter["filter_action"][] = ["blur", "warn", "hide"];

/** Of the viewer's filters that match a post in this context, the one with the strongest effect. */
export function strongestFilter(
  { filtered }: { filtered?: readonly FilterResultJson[] },
  context: FilterContext | undefined,
): Filter | null {
  const strength = ({ filter_action }: Filter) => STRENGTH.indexOf(filter_action);
  const found = (filtered ?? []).map(({ filter }) => filter).filter((filter) => filter.context.includes(context ?? ""));
  return found.toSorted((a, b) => strength(b) - strength(a))[0] ?? null;
}

/** A post behind the title of the filter that warns of it. */
export function Filtered(props: { page: PageRequest; title: string; children: ComponentChildren }) {
  const { page, title, children } = props;
  return (
    <details class="filtered">
      <summary>
        <Text text={page.texts(actionTexts).filteredBy(title)} />
      </summary>
      {children}
    </details>
  );
}
