import { readColor } from '../labels/index.ts';

const BLUE = '#1068bf';

interface Color {
  readonly color: string;
  readonly errors: string[];
}

/** The color that is sent, as for labels: `#RGB`, `#RRGGBB` or a name; without one that of all epics. */
export function wishedColor(sent: string | null | undefined): Color {
  const color = sent == null ? BLUE : readColor(sent);
  return color === null ? { color: BLUE, errors: ['must be a valid color code'] } : { color, errors: [] };
}
