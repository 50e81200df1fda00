import { parseColor } from '../labels/index.ts';

const DEFAULT_COLOR = '#1068bf';

interface ParsedColor {
  readonly color: string;
  /** Validation errors; empty if the color is valid. */
  readonly errors: string[];
}

/** Parses a color in the formats of label colors: `#RGB`, `#RRGGBB` or a name. A missing text and, with errors, an invalid text yield the default color. */
export function parseEpicColor(colorText: string | null | undefined): ParsedColor {
  const color = colorText == null ? DEFAULT_COLOR : parseColor(colorText);
  return color === null ? { color: DEFAULT_COLOR, errors: ['must be a valid color code'] } : { color, errors: [] };
}
