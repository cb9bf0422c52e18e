/** Colours that match an image, as `#rrggbb`. Audio players use them. */
export interface Colors {
  background: string;
  foreground: string;
  accent: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

/** From RGBA pixels: the average as background, black or white as foreground, the most colourful one as accent. */
export function colorsOf(rgba: Uint8Array): Colors {
  const sum = [0, 0, 0] as [number, number, number];
  let accent: Rgb = [0, 0, 0];
  for (let at = 0; at + 3 < rgba.length; at += 4) {
    const color: Rgb = [rgba[at]!, rgba[at + 1]!, rgba[at + 2]!];
    for (const channel of [0, 1, 2] as const) sum[channel] += color[channel];
    if (colorfulness(color) >= colorfulness(accent)) accent = color;
  }
  const count = Math.max(1, Math.floor(rgba.length / 4));
  const background: Rgb = [sum[0] / count, sum[1] / count, sum[2] / count];
  return {
    background: hex(background),
    foreground: luminance(background) > 0.18 ? "#000000" : "#ffffff",
    accent: hex(accent),
  };
}

function colorfulness([red, green, blue]: Rgb): number {
  return Math.max(red, green, blue) - Math.min(red, green, blue);
}

/** WCAG's relative luminance: above 0.18, black is easier to read than white. */
function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => (value / 255) ** 2.2) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function hex(color: Rgb): string {
  return `#${color.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}
