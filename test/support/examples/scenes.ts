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

/**
 * Draws a landscape, so that example content has pictures without the network. It computes each pixel: the server allows
 * sharp to read only the formats of uploads, and tests share its process.
 */
export async function landscape(scene: Scene, width: number, height: number): Promise<Buffer<ArrayBuffer>> {
  const canvas = new Canvas(width, height);
  const [top, bottom, sun] = [...scene.sky, scene.sun].map(rgb) as [Rgb, Rgb, Rgb];
  const size = Math.min(width, height);
  const [x, y] = scene.at ?? [0.68, 0.34];
  canvas.paint((_, row) => [mix(top, bottom, row / height), 1]);
  canvas.paint((column, row) => {
    const distance = Math.hypot(column - x * width, row - y * height);
    return [sun, Math.max(edge(size * 0.12 - distance), 0.22 * edge(size * 0.22 - distance))];
  });
  for (const [at, colour] of scene.hills.entries()) {
    const ground = rgb(colour);
    canvas.paint((column, row) => [ground, edge(row - hillAt(scene, at, column / width) * height)]);
  }
  if (scene.hasBirds)
    for (const [left, up, scale] of BIRDS) drawBird(canvas, left * width, up * height, size * 0.05 * scale);
  return canvas.png();
}

type Rgb = readonly [number, number, number];

const BIRDS = [
  [0.22, 0.2, 1],
  [0.3, 0.27, 0.7],
  [0.36, 0.17, 0.55],
] as const;

class Canvas {
  private readonly pixels: Uint8Array;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {
    this.pixels = new Uint8Array(width * height * 3);
  }

  /** `colourAt` returns a colour and how much of the pixel it covers. */
  paint(colourAt: (column: number, row: number) => [Rgb, number]): void {
    for (let row = 0; row < this.height; row++)
      for (let column = 0; column < this.width; column++) this.blend(column, row, ...colourAt(column, row));
  }

  blend(column: number, row: number, colour: Rgb, share: number): void {
    if (share <= 0 || column < 0 || row < 0 || column >= this.width || row >= this.height) return;
    const at = (row * this.width + column) * 3;
    for (const [part, value] of colour.entries()) {
      const before = this.pixels[at + part]!;
      this.pixels[at + part] = Math.round(before + (value - before) * share);
    }
  }

  async png(): Promise<Buffer<ArrayBuffer>> {
    const raw = { width: this.width, height: this.height, channels: 3 } as const;
    return Buffer.from(new Uint8Array(await sharp(this.pixels, { raw }).png().toBuffer()));
  }
}

/** Where a hill begins, as a share of the height. */
function hillAt({ hills, seed }: Scene, at: number, across: number): number {
  const base = 0.48 + (0.44 * (at + 0.4)) / hills.length;
  const wave = Math.sin(across * (4 + at * 1.7) + seed * (at + 1)) + 0.5 * Math.sin(across * 11 + seed * 3 + at);
  return base + wave * 0.06;
}

/** Two wings, each an arc. */
function drawBird(canvas: Canvas, left: number, top: number, wing: number): void {
  const ink = rgb("#2b211c");
  const radius = Math.max(wing * 0.07, 0.6);
  for (let step = 0; step <= 120; step++) {
    const across = step / 60;
    const lift = 1.2 * (across % 1) * (1 - (across % 1));
    const [x, y] = [left + across * wing, top - lift * wing];
    for (let row = Math.floor(y - radius); row <= y + radius; row++)
      for (let column = Math.floor(x - radius); column <= x + radius; column++)
        canvas.blend(column, row, ink, edge(radius - Math.hypot(column - x, row - y)));
  }
}

function rgb(colour: string): Rgb {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)) as unknown as Rgb;
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return from.map((part, at) => part + (to[at]! - part) * share) as unknown as Rgb;
}

/** How much of a pixel is inside, by its distance from the edge. */
function edge(inside: number): number {
  return Math.min(1, Math.max(0, inside + 0.5));
}
