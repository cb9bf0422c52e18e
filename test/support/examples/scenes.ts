import sharp from "sharp";

/** The colours of a landscape, from the sky to the ground. */
export interface Scene {
  sky: [top: string, bottom: string];
  sun: string;
  /** From the farthest hills to the nearest. */
  hills: string[];
  /** How the hills roll: another number gives another landscape. */
  seed: number;
  /** Where the sun is, from 0 (left, top) to 1 (right, bottom). */
  at?: [x: number, y: number];
  hasBirds?: boolean;
}

/** Draws a landscape, so that example content has pictures without the network. */
export async function landscape(scene: Scene, width: number, height: number): Promise<Buffer<ArrayBuffer>> {
  const [x, y] = scene.at ?? [0.68, 0.34];
  const size = Math.min(width, height);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x2="0" y2="1">
      <stop stop-color="${scene.sky[0]}"/><stop offset="1" stop-color="${scene.sky[1]}"/>
    </linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${x * width}" cy="${y * height}" r="${size * 0.22}" fill="${scene.sun}" opacity=".22"/>
    <circle cx="${x * width}" cy="${y * height}" r="${size * 0.12}" fill="${scene.sun}"/>
    ${scene.hills.map((colour, at) => hill(scene, at, width, height, colour)).join("")}
    ${scene.hasBirds ? birds(width, height) : ""}
  </svg>`;
  return Buffer.from(new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer()));
}

function hill({ hills, seed }: Scene, at: number, width: number, height: number, colour: string): string {
  const base = 0.48 + (0.44 * (at + 0.4)) / hills.length;
  const points = Array.from({ length: 41 }, (_, step) => {
    const across = step / 40;
    const wave = Math.sin(across * (4 + at * 1.7) + seed * (at + 1)) + 0.5 * Math.sin(across * 11 + seed * 3 + at);
    return `${(across * width).toFixed(1)},${((base + wave * 0.06) * height).toFixed(1)}`;
  });
  return `<polygon points="0,${height} ${points.join(" ")} ${width},${height}" fill="${colour}"/>`;
}

function birds(width: number, height: number): string {
  const places: [number, number, number][] = [
    [0.22, 0.2, 1],
    [0.3, 0.27, 0.7],
    [0.36, 0.17, 0.55],
  ];
  const size = Math.min(width, height) * 0.05;
  return places
    .map(([x, y, scale]) => {
      const [left, top, wing] = [x * width, y * height, size * scale];
      const half = `q${wing * 0.5},${-wing * 0.6} ${wing},0`;
      return `<path d="M${left},${top} ${half} ${half}" fill="none" stroke="#2b211c" stroke-width="${wing * 0.14}"/>`;
    })
    .join("");
}
