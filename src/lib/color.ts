/** A colour as its shares of red, green and blue, 0 to 1. */
type Rgb = readonly [number, number, number];

/** Parses `#rrggbb`; null for anything else. */
export function parseColor(text: string): Rgb | null {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text) ?? [];
  if (red === undefined) return null;
  return [red, green!, blue!].map((part) => Number.parseInt(part, 16) / 255) as unknown as Rgb;
}

/**
 * A colour of the same hue that can be read on a background: lighter or darker than the given one, as far as the contrast
 * needs it (WCAG 2.2, success criterion 1.4.3).
 */
export function readableOn(color: Rgb, background: Rgb, contrast: number): string {
  const target = luminance(background) > 0.4 ? BLACK : WHITE;
  for (let share = 0; share <= 1; share += 0.02) {
    const mixed = mix(color, target, share);
    if (contrastOf(mixed, background) >= contrast) return hexOf(mixed);
  }
  return hexOf(target);
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [1, 1, 1];

function mix(color: Rgb, other: Rgb, share: number): Rgb {
  return color.map((part, at) => part + (other[at]! - part) * share) as unknown as Rgb;
}

function contrastOf(a: Rgb, b: Rgb): number {
  const [lighter, darker] = [luminance(a), luminance(b)].toSorted((x, y) => y - x);
  return (lighter! + 0.05) / (darker! + 0.05);
}

/** Relative luminance (WCAG 2.2). */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function hexOf(color: Rgb): string {
  return `#${color
    .map((part) =>
      Math.round(part * 255)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}
