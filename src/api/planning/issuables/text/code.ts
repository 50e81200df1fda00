/** The parts of a text that are code or comments, where references do not count. */
export interface CodeRanges {
  has(position: number): boolean;
}

/** Maximum number of positions of a text that are checked for references. */
export const MAX_SCANNED_POSITIONS = 10_000;

const TICK = '`';
const TILDE = '~';
const COMMENT = '<!--';
const COMMENT_END = '-->';
/** A fence has at least this many characters. It ends at a fence of the same length or at the end of the text. */
const FENCE = 3;

/** Start of a list item or heading, which ends the paragraph before it. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const MAX_MARKER_LENGTH = 11;

/** Maximum number of lines that are scanned one by one; the rest of the text counts as one more line. */
export const MAX_LINES = 10_000;

interface OpenDelimiter {
  readonly sign: typeof TICK | typeof TILDE;
  readonly from: number;
  readonly length: number;
}

/**
 * Finds inline code, fenced code blocks (backticks or tildes), indented code blocks outside lists, and HTML comments at the
 * beginning of a line, as in templates. Takes linear time for any text. Pass `indented: false` for texts that may not be Markdown:
 * indented lines are then plain text.
 */
export function findCode(text: string, { indented = true } = {}): CodeRanges {
  const search = new CodeScanner(text, indented);
  for (const line of splitLines(text)) search.read(line);
  const borders = search.end();
  return { has: (position) => countBordersUpTo(borders, position) % 2 === 1 };
}

/** Scans a text line by line. */
class CodeScanner {
  readonly #text: string;
  readonly #indented: boolean;
  /** Alternating start and end positions of code. */
  readonly #borders: number[] = [];
  /** The open delimiter, if any. */
  #open: OpenDelimiter | null = null;
  #around = OUTSIDE_PARAGRAPH;
  /** Position of the next backtick; negative if there is none. */
  #tick: number;
  /** End of the last comment. */
  #behind = 0;

  constructor(text: string, allowIndented: boolean) {
    this.#text = text;
    this.#indented = allowIndented;
    this.#tick = text.indexOf(TICK);
  }

  read(line: Line): void {
    if (line.to < this.#behind) return;
    if (this.#open?.sign === TILDE) this.#endTildes(line, this.#open);
    else if (!this.#begin(line)) this.#pairTicks(line);
  }

  /** Closes an unterminated fence at the end of the text. */
  end(): readonly number[] {
    if (this.#open !== null && this.#open.length >= FENCE) this.#borders.push(this.#open.from, this.#text.length);
    return this.#borders;
  }

  #endTildes(line: Line, { from, length: tildeCount }: OpenDelimiter): void {
    if (!isClosingFence(this.#text, line, tildeCount)) return;
    this.#borders.push(from, line.to);
    this.#open = null;
    this.#around = { ...this.#around, continuesParagraph: false };
  }

  /** Handles blocks that begin at this line. Returns true if the rest of the line need not be scanned. */
  #begin(line: Line): boolean {
    if (line.from < this.#behind || (this.#open !== null && this.#open.length >= FENCE)) return false;
    const lineKind = classifyLine(this.#text, line);
    // The paragraph has ended, and with it any open inline code.
    if (lineKind !== 'text') this.#open = null;
    const before = this.#around;
    this.#around = nextContext(before, line, lineKind);
    if (lineKind === 'nothing' || this.#beginTildes(line) || this.#takeIndented(line, before)) return true;
    this.#takeComment(line);
    return false;
  }

  #beginTildes({ first }: Line): boolean {
    const tildeCount = runLength(TILDE, this.#text, first);
    if (tildeCount < FENCE) return false;
    this.#open = { sign: TILDE, from: first, length: tildeCount };
    return true;
  }

  #takeIndented(line: Line, before: BlockContext): boolean {
    if (!this.#indented || before.continuesParagraph || this.#around.inList || !isIndented(this.#text, line))
      return false;
    if (runLength(TICK, this.#text, line.first) >= FENCE) return false;
    this.#borders.push(line.from, line.to);
    this.#around = before;
    return true;
  }

  #takeComment({ first }: Line): void {
    if (!this.#text.startsWith(COMMENT, first)) return;
    this.#open = null;
    this.#behind = endOfComment(this.#text, first);
    this.#borders.push(first, this.#behind);
  }

  /** Pairs runs of backticks of the same length. */
  #pairTicks({ first, to }: Line): void {
    const text = this.#text;
    const searchStart = Math.max(first, this.#behind);
    if (this.#tick >= 0 && this.#tick < searchStart) this.#tick = text.indexOf(TICK, searchStart);
    while (this.#tick >= 0 && this.#tick < to) {
      const from = this.#tick;
      const tickCount = runLength(TICK, text, from);
      if (this.#open === null) this.#open = { sign: TICK, from, length: tickCount };
      else if (this.#open.length === tickCount) {
        this.#borders.push(this.#open.from, from + tickCount);
        this.#open = null;
      }
      this.#tick = text.indexOf(TICK, from + tickCount);
    }
  }
}

/** Returns the end of a comment; an unterminated comment extends to the end of the text. */
function endOfComment(text: string, from: number): number {
  const end = text.indexOf(COMMENT_END, from + COMMENT.length);
  return end < 0 ? text.length : end + COMMENT_END.length;
}

interface Line {
  readonly from: number;
  readonly to: number;
  /** Position of the first non-blank character; `to` if the line is blank. */
  readonly first: number;
}

function* splitLines(text: string): Generator<Line> {
  for (let from = 0, lineCount = 0; from <= text.length; lineCount++) {
    const end = lineCount < MAX_LINES ? text.indexOf('\n', from) : -1;
    const to = end < 0 ? text.length : end;
    yield { from, to, first: firstNonBlank(text, from, to) };
    from = to + 1;
  }
}

type LineKind = 'nothing' | 'item' | 'heading' | 'text';

function classifyLine(text: string, { to, first }: Line): LineKind {
  if (first === to) return 'nothing';
  const lineStart = text.slice(first, Math.min(to, first + MAX_MARKER_LENGTH));
  if (ITEM.test(lineStart)) return 'item';
  return HEADING.test(lineStart) ? 'heading' : 'text';
}

/** The blocks that the next line may continue. */
interface BlockContext {
  /** A paragraph is open. */
  readonly continuesParagraph: boolean;
  readonly inList: boolean;
}

const OUTSIDE_PARAGRAPH: BlockContext = { continuesParagraph: false, inList: false };

/** Returns the context after a line. Indented lines continue a list, even after a blank line; unindented ones continue its open paragraph. */
function nextContext(
  { continuesParagraph: goesOn, inList }: BlockContext,
  { from, first }: Line,
  lineKind: LineKind,
): BlockContext {
  if (lineKind === 'nothing') return { continuesParagraph: false, inList };
  return { continuesParagraph: true, inList: lineKind === 'item' || (inList && (goesOn || first > from)) };
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t' || character === '\r';

/** Returns the position of the first non-blank character, or `to` if there is none. */
function firstNonBlank(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text[at])) at++;
  return at;
}

/** Returns the length of the run of this character at `from`. */
function runLength(sign: string, text: string, from: number): number {
  let at = from;
  while (text[at] === sign) at++;
  return at - from;
}

const INDENTED = 4;

function isIndented(text: string, { from, first }: Line): boolean {
  return first - from >= INDENTED || text.slice(from, first).includes('\t');
}

/** Returns whether a line consists of at least this many tildes. */
function isClosingFence(text: string, { to, first }: Line, tildeCount: number): boolean {
  const fenceLength = runLength(TILDE, text, first);
  return fenceLength >= tildeCount && firstNonBlank(text, first + fenceLength, to) === to;
}

/** Returns how many of the ascending positions are at or before this one. */
function countBordersUpTo(borders: readonly number[], position: number): number {
  let [from, to] = [0, borders.length];
  while (from < to) {
    const midpoint = (from + to) >> 1;
    if (borders[midpoint]! <= position) from = midpoint + 1;
    else to = midpoint;
  }
  return from;
}
