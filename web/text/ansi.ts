/** Text styles of terminals: the escape sequences of a CI job's log become names of classes. */

/** A part of a line in one style. */
export interface StyledText {
  readonly text: string;
  /** Names of classes: `ansi-1 ansi-bold`; empty for plain text. */
  readonly classes: string;
}

/** The style in which the next text is written. Colours are 0 to 15, or null for that of the page. */
export interface TextStyle {
  readonly color: number | null;
  readonly background: number | null;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}

export const PLAIN: TextStyle = { color: null, background: null, bold: false, italic: false, underline: false };

/** Operating system commands such as links, control sequences, other escapes, and control characters except tabs. */
const SEQUENCE =
  /\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[([0-?]*)[ -/]*([@-~]?)|\x1b[^[\]]?|[\x00-\x08\x0a-\x1a\x1c-\x1f\x7f]/g;

/** The first characters of each `SEQUENCE`. Most lines have none, so they need no parsing. */
const CONTROL = /[\x00-\x08\x0a-\x1f\x7f]/;

/** The maximum number of parts of a line; the rest of the line has the style of the last one. */
const MAX_PARTS = 500;

/** Returns the parts of a line that begins in a style, and the style after it. Other sequences are removed. */
export function parseStyles(
  line: string,
  style: TextStyle,
): { readonly parts: StyledText[]; readonly style: TextStyle } {
  if (!CONTROL.test(line)) return { parts: line === '' ? [] : [{ text: line, classes: toClasses(style) }], style };
  const parts: StyledText[] = [];
  let [text, end, current] = ['', 0, style];
  const flush = () => {
    if (text !== '') parts.push({ text, classes: toClasses(current) });
    text = '';
  };
  for (const match of line.matchAll(SEQUENCE)) {
    text += line.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[2] !== 'm' || parts.length >= MAX_PARTS) continue;
    const next = applyCodes(current, match[1] ?? '');
    if (toClasses(next) !== toClasses(current)) flush();
    current = next;
  }
  text += line.slice(end);
  flush();
  return { parts, style: current };
}

function toClasses(style: TextStyle): string {
  if (style === PLAIN) return '';
  const { color, background, bold, italic, underline } = style;
  // A background sets the colour of its text too, so that each combination is legible.
  const colorClass = background !== null ? `ansi-bg-${background}` : color !== null ? `ansi-${color}` : '';
  return [colorClass, bold && 'ansi-bold', italic && 'ansi-italic', underline && 'ansi-underline']
    .filter(Boolean)
    .join(' ');
}

/** Returns a style after the parameters of "select graphic rendition" (ECMA-48 §8.3.117): `1;31`. */
function applyCodes(style: TextStyle, parameters: string): TextStyle {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!;
    if (code === 38 || code === 48) {
      const [color, length] = readExtendedColor(codes.slice(index + 1, index + 5));
      next = code === 38 ? { ...next, color } : { ...next, background: color };
      index += length;
    } else next = applyCode(next, code);
  }
  return next;
}

function applyCode(style: TextStyle, code: number): TextStyle {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return { ...style, color: null };
  if (code === 49) return { ...style, background: null };
  if (code >= 30 && code <= 37) return { ...style, color: code - 30 };
  if (code >= 40 && code <= 47) return { ...style, background: code - 40 };
  if (code >= 90 && code <= 97) return { ...style, color: code - 82 };
  if (code >= 100 && code <= 107) return { ...style, background: code - 92 };
  return style;
}

/** Returns the nearest of the 16 colours, whose contrast is known, and the number of parameters: `5;n` or `2;red;green;blue`. */
function readExtendedColor([kind, ...values]: readonly number[]): [color: number | null, length: number] {
  if (kind === 2) return [toNearest(values as [number, number, number]), 4];
  if (kind !== 5) return [null, 1];
  const index = values[0] ?? 0;
  if (index < 16) return [index, 2];
  if (index >= 232) return [index < 244 ? 8 : 7, 2];
  const cube = index - 16;
  return [toNearest([Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51]), 2];
}

function toNearest([red = 0, green = 0, blue = 0]: readonly [number, number, number]): number {
  const brightest = Math.max(red, green, blue);
  if (brightest < 64) return 0;
  const bits = [red, green, blue].map((value, bit) => (value > brightest * 0.6 ? 1 << bit : 0));
  const hue = bits.reduce((sum, bit) => sum + bit, 0);
  return hue === 7 && brightest < 160 ? 8 : brightest > 220 ? hue + 8 : hue;
}
