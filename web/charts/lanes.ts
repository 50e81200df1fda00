import type { Shape, Tone } from '../text/ci-status.ts';
import { scale } from './axis.ts';

/** Something that lasted from one time to another. */
export interface Bar {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** The state in words. */
  readonly state: string;
  readonly tone: Tone;
  readonly shape: Shape;
  readonly href: string;
}

export interface Lane {
  readonly name: string;
  readonly bars: readonly Bar[];
}

export interface PlacedBar {
  readonly bar: Bar;
  readonly x: number;
  readonly width: number;
  /** Bars at the same time are in rows below each other. */
  readonly row: number;
}

interface PlacedLane {
  readonly name: string;
  readonly bars: readonly PlacedBar[];
  readonly rowCount: number;
}

/** The width of the shortest bar, so that it can be seen and clicked. */
const MIN_WIDTH = 6;

/** Rows of a lane; further bars at the same time cover others. */
const MAX_ROWS = 3;

/** Places bars in a chart of this width and these times. */
export function placeLanes(lanes: readonly Lane[], from: number, to: number, width: number): PlacedLane[] {
  return lanes.map(({ name, bars }) => {
    const rowEnds: number[] = [];
    const placed = [...bars]
      .sort((a, b) => a.from - b.from)
      .map((bar): PlacedBar => {
        const x = Math.min(scale(bar.from, from, to, width), width - MIN_WIDTH);
        const barWidth = Math.max(scale(bar.to, from, to, width) - x, MIN_WIDTH);
        const free = rowEnds.findIndex((end) => end < x);
        const row = free === -1 ? Math.min(rowEnds.length, MAX_ROWS - 1) : free;
        rowEnds[row] = x + barWidth;
        return { bar, x, width: barWidth, row };
      });
    return { name, bars: placed, rowCount: Math.max(1, rowEnds.length) };
  });
}
