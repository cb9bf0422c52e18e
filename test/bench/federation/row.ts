/** A line of the table: a part of the server beside its reference. */
export interface Row {
  part: string;
  figure: string;
  /** CPU ms of the server for each activity or delivery; null if that is not the point. */
  processor: number | null;
  reference: string;
  /** The figure as a part of the reference. */
  ratio: number | null;
  target: string;
  isMet: boolean;
}

export const HEAD = ["part", "Linnet", "CPU ms each", "reference", "ratio", "target", "met"];

export function cells({ part, figure, processor, reference, ratio, target, isMet }: Row): string[] {
  return [
    part,
    figure,
    processor?.toFixed(3) ?? "",
    reference,
    ratio?.toFixed(2) ?? "",
    target,
    isMet ? "yes" : "**no**",
  ];
}

export function perSecond(rate: number): string {
  return `${rate.toFixed(0)}/s`;
}

export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1]!;
}
