/** @jsxImportSource preact */
import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** Drawn for 24 × 24 units with round strokes of 2. */
const PATHS = {
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4",
  pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0",
  gear: "M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5",
  reply: "M10 6 4 12l6 6M4 12h10a6 6 0 0 1 6 6v1",
  boost: "M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1",
  star: "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1 5.9-5.2-2.8-5.2 2.8 1-5.9L3.5 9.7l5.9-.8z",
  bookmark: "M7 4h10a1 1 0 0 1 1 1v15l-6-4-6 4V5a1 1 0 0 1 1-1z",
  quote: "M5 6h5v6c0 3-2 5-5 5.5M14 6h5v6c0 3-2 5-5 5.5",
  trash: "M5 7h14M10 4h4M7 7l1 13h8l1-13M10 11v5M14 11v5",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  globe: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18",
  moon: "M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10z",
  mail: "M4 6h16v12H4zM4 7l8 6 8-6",
  picture: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9h.01",
  poll: "M5 20V11M12 20V4M19 20v-6",
  clock: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3 2",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4",
  feed: "M5 5a14 14 0 0 1 14 14M5 11a8 8 0 0 1 8 8M6 18h.01",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  check: "M5 12l5 5 9-10",
} as const;

export type IconName = keyof typeof PATHS;

/** The drawings that the page already has. A list repeats them for each post, so they refer to the first one. */
export const DrawnIcons = createContext<Set<IconName>>(new Set());

/** A decorative drawing beside a text, in the text's colour. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  const drawn = useContext(DrawnIcons);
  const isFirst = !drawn.has(name);
  drawn.add(name);
  const id = `icon-${name}`;
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {isFirst ? <path id={id} d={PATHS[name]} /> : <use href={`#${id}`} />}
    </svg>
  );
}
