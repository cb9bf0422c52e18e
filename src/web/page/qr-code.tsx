/** @jsxImportSource preact */
import { encode } from "uqr";

/** The width of the white edge that readers need, in modules. */
const BORDER = 4;

/** A QR code. It is dark on white in dark mode too: many readers know no other. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: "M", border: BORDER });
  const runs = data.flatMap((row, y) => [...runsOf(row)].map(([x, width]) => `M${x} ${y}h${width}v1h-${width}z`));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={runs.join("")} />
    </svg>
  );
}

/** The dark modules of a row that are side by side: the first, and how many. */
function* runsOf(row: readonly boolean[]): Generator<[number, number]> {
  for (let x = 0; x < row.length; x++) {
    const start = x;
    while (row[x]) x++;
    if (x > start) yield [start, x - start];
  }
}
