/** The lines of a text that belong to paragraphs which are in nothing else, neither list nor quote, code nor HTML. */

export interface Line {
  /** Where it begins in the text, and ends without its line break. */
  readonly from: number;
  readonly to: number;
}

/** What the lines up to the next empty one, or to an end of its own, are part of. */
type Inside =
  | { readonly kind: 'paragraph' }
  /** A list or a quote: what follows without an empty line is a part of it. */
  | { readonly kind: 'block' }
  | { readonly kind: 'html' }
  | { readonly kind: 'until'; readonly ends: (line: string) => boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const QUOTE = /^ {0,3}>/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const TAG = /^ {0,3}<\/?([A-Za-z][A-Za-z0-9-]*)(?:[\s/>]|$)/;
const RAW = ['pre', 'script', 'style', 'textarea'];
const QUOTES = '>>>';

/** So many lines of a text are looked at; what is behind them is text. */
const MOST = 10_000;

/** Each paragraph as its lines, in their order. Each line is looked at once. */
export function paragraphsOf(text: string): Line[][] {
  const paragraphs: Line[][] = [];
  let inside: Inside | null = null;
  /** An indented line goes on with the last item of the list before the empty line. */
  let afterList = false;
  for (const line of linesOf(text)) {
    const written = text.slice(line.from, line.to).replace(/\r$/, '');
    if (inside?.kind === 'until') {
      if (inside.ends(written)) inside = null;
      continue;
    }
    if (written.trim() === '') {
      afterList ||= inside?.kind === 'block';
      inside = null;
      continue;
    }
    if (inside?.kind === 'html') continue;
    const begun: Inside = begins(written, inside, afterList);
    if (begun.kind !== 'block') afterList = false;
    if (begun.kind === 'paragraph') {
      if (inside?.kind === 'paragraph') paragraphs.at(-1)!.push(line);
      else paragraphs.push([line]);
    }
    inside = isHeading(written) ? null : begun;
  }
  return paragraphs;
}

function* linesOf(text: string): Generator<Line> {
  for (let from = 0, many = 0; from <= text.length && many < MOST; many++) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    yield { from, to };
    from = to + 1;
  }
}

const isHeading = (line: string) => HEADING.test(line);

/** What this line, which is not empty, begins or goes on with. */
function begins(line: string, inside: Inside | null, afterList: boolean): Inside {
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined && (fence.startsWith('~') || !line.trimStart().slice(fence.length).includes('`'))) {
    return { kind: 'until', ends: (other) => closes(other, fence) };
  }
  if (line.trimEnd() === QUOTES) return { kind: 'until', ends: (other) => other.trimEnd() === QUOTES };
  const html = htmlAt(line, inside);
  if (html !== null) return html;
  if (QUOTE.test(line) || LIST.test(line)) return { kind: 'block' };
  if (inside !== null) return inside;
  // Behind an empty line what is indented is code, or a part of the list before it.
  return /^(?: {4}|\t)/.test(line) || (afterList && /^[ \t]/.test(line)) ? { kind: 'block' } : { kind: 'paragraph' };
}

/** As many of the same sign as have begun it, or more, and nothing else. */
function closes(line: string, fence: string): boolean {
  const found = FENCE.exec(line)?.[1];
  if (found === undefined || found[0] !== fence[0] || found.length < fence.length) return false;
  return line.trim().length === found.length;
}

function htmlAt(line: string, inside: Inside | null): Inside | null {
  const trimmed = line.trimStart();
  if (trimmed.startsWith('<!--')) return until(trimmed.slice(4), '-->');
  if (trimmed.startsWith('<?')) return until(trimmed.slice(2), '?>');
  const tag = TAG.exec(line)?.[1]?.toLowerCase();
  if (tag === undefined) return null;
  if (RAW.includes(tag) && !trimmed.startsWith('</')) return until(trimmed.toLowerCase(), `</${tag}>`);
  // A tag within a paragraph is a part of it.
  return inside === null || inside.kind === 'block' ? { kind: 'html' } : null;
}

/** Up to the line that has this, which may be the first one. */
function until(rest: string, end: string): Inside {
  if (rest.includes(end)) return { kind: 'block' };
  return { kind: 'until', ends: (line) => line.toLowerCase().includes(end) };
}
