/** Ranges of a text that are code or HTML comments; references in them are ignored. */
interface CodeRanges {
  /** Returns whether the position is in one of the ranges. */
  has(position: number): boolean;
}

/** Maximum number of positions of a text that are checked for references. */
export const MAX_SCANNED_POSITIONS = 10_000;

const TICK = '`';
const TILDE = '~';
const COMMENT = '<!--';
const COMMENT_END = '-->';
/** Minimum number of backticks or tildes of a fence. A fenced block ends at a closing fence or at the end of the text. */
const MIN_FENCE_LENGTH = 3;

/** Start of a list item. List items and headings end the preceding paragraph. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
/** Maximum number of characters that `ITEM` or `HEADING` can match. */
const MAX_MARKER_LENGTH = 11;

/** Maximum number of lines that are scanned separately; the rest of the text is scanned as one line. */
export const MAX_SCANNED_LINES = 10_000;

/** Backticks or tildes that may begin code, and are not closed yet. */
interface OpenDelimiter {
  readonly character: typeof TICK | typeof TILDE;
  readonly from: number;
  readonly length: number;
}

/**
 * Finds inline code, fenced code blocks (backticks or tildes), indented code blocks outside lists, and HTML comments at the
 * beginning of a line. Takes linear time for any text. Pass `indented: false` for texts that may not be Markdown:
 * indented lines are then plain text.
 */
export function findCodeRanges(text: string, { indented = true } = {}): CodeRanges {
  const scanner = new CodeScanner(text, indented);
  for (const line of splitLines(text)) scanner.scanLine(line);
  const borders = scanner.finish();
  return { has: (position) => countBordersUpTo(borders, position) % 2 === 1 };
}

/** Scans a text line by line. */
class CodeScanner {
  readonly #text: string;
  readonly #indented: boolean;
  /** Start and end positions of code in turn, ascending: a position after an odd number of borders is in code. */
  readonly #borders: number[] = [];
  /** The open backticks or tildes, if any. */
  #openDelimiter: OpenDelimiter | null = null;
  /** Context of the line being scanned. */
  #context = OUTSIDE_PARAGRAPH;
  /** Position of the next backtick; negative if there is none. */
  #nextTick: number;
  /** End of the last HTML comment. */
  #commentEnd = 0;

  constructor(text: string, allowIndented: boolean) {
    this.#text = text;
    this.#indented = allowIndented;
    this.#nextTick = text.indexOf(TICK);
  }

  scanLine(line: Line): void {
    // The line is inside an HTML comment.
    if (line.to < this.#commentEnd) return;
    if (this.#openDelimiter?.character === TILDE) this.#closeTildeFence(line, this.#openDelimiter);
    else if (!this.#scanBlockStart(line)) this.#scanBackticks(line);
  }

  /** Closes an unterminated fence at the end of the text. Returns the borders. */
  finish(): readonly number[] {
    if (this.#openDelimiter !== null && this.#openDelimiter.length >= MIN_FENCE_LENGTH)
      this.#borders.push(this.#openDelimiter.from, this.#text.length);
    return this.#borders;
  }

  #closeTildeFence(line: Line, { from, length: tildeCount }: OpenDelimiter): void {
    if (!isClosingFence(this.#text, line, tildeCount)) return;
    this.#borders.push(from, line.to);
    this.#openDelimiter = null;
    this.#context = { ...this.#context, continuesParagraph: false };
  }

  /** Scans block constructs that begin at this line. Returns true if the line contains no inline code. */
  #scanBlockStart(line: Line): boolean {
    if (
      line.from < this.#commentEnd ||
      (this.#openDelimiter !== null && this.#openDelimiter.length >= MIN_FENCE_LENGTH)
    )
      return false;
    const lineKind = classifyLine(this.#text, line);
    // The paragraph has ended, and with it any open inline code.
    if (lineKind !== 'text') this.#openDelimiter = null;
    const previousContext = this.#context;
    this.#context = nextContext(previousContext, line, lineKind);
    if (lineKind === 'blank' || this.#openTildeFence(line) || this.#scanIndentedCode(line, previousContext))
      return true;
    this.#scanComment(line);
    return false;
  }

  #openTildeFence({ first }: Line): boolean {
    const tildeCount = runLength(TILDE, this.#text, first);
    if (tildeCount < MIN_FENCE_LENGTH) return false;
    this.#openDelimiter = { character: TILDE, from: first, length: tildeCount };
    return true;
  }

  #scanIndentedCode(line: Line, previousContext: BlockContext): boolean {
    if (!this.#indented || previousContext.continuesParagraph || this.#context.inList || !isIndented(this.#text, line))
      return false;
    // A run of backticks opens a fence at any indentation.
    if (runLength(TICK, this.#text, line.first) >= MIN_FENCE_LENGTH) return false;
    this.#borders.push(line.from, line.to);
    this.#context = previousContext;
    return true;
  }

  #scanComment({ first }: Line): void {
    if (!this.#text.startsWith(COMMENT, first)) return;
    this.#openDelimiter = null;
    this.#commentEnd = endOfComment(this.#text, first);
    this.#borders.push(first, this.#commentEnd);
  }

  /** Pairs runs of backticks of the same length. */
  #scanBackticks({ first, to }: Line): void {
    const text = this.#text;
    const searchStart = Math.max(first, this.#commentEnd);
    if (this.#nextTick >= 0 && this.#nextTick < searchStart) this.#nextTick = text.indexOf(TICK, searchStart);
    while (this.#nextTick >= 0 && this.#nextTick < to) {
      const from = this.#nextTick;
      const tickCount = runLength(TICK, text, from);
      if (this.#openDelimiter === null) this.#openDelimiter = { character: TICK, from, length: tickCount };
      else if (this.#openDelimiter.length === tickCount) {
        this.#borders.push(this.#openDelimiter.from, from + tickCount);
        this.#openDelimiter = null;
      }
      this.#nextTick = text.indexOf(TICK, from + tickCount);
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
    const end = lineCount < MAX_SCANNED_LINES ? text.indexOf('\n', from) : -1;
    const to = end < 0 ? text.length : end;
    yield { from, to, first: firstNonBlank(text, from, to) };
    from = to + 1;
  }
}

type LineKind = 'blank' | 'item' | 'heading' | 'text';

function classifyLine(text: string, { to, first }: Line): LineKind {
  if (first === to) return 'blank';
  const lineStart = text.slice(first, Math.min(to, first + MAX_MARKER_LENGTH));
  if (ITEM.test(lineStart)) return 'item';
  return HEADING.test(lineStart) ? 'heading' : 'text';
}

/** State of the blocks that the next line may continue. */
interface BlockContext {
  /** Whether a paragraph is open. */
  readonly continuesParagraph: boolean;
  /** Whether a list is open. */
  readonly inList: boolean;
}

const OUTSIDE_PARAGRAPH: BlockContext = { continuesParagraph: false, inList: false };

/**
 * Returns the context after a line. An indented line continues a list, also after a blank line. Other lines continue only an open
 * paragraph.
 */
function nextContext(context: BlockContext, { from, first }: Line, lineKind: LineKind): BlockContext {
  if (lineKind === 'blank') return { continuesParagraph: false, inList: context.inList };
  const continuesList = context.inList && (context.continuesParagraph || first > from);
  return { continuesParagraph: true, inList: lineKind === 'item' || continuesList };
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t' || character === '\r';

/** Returns the position of the first non-blank character, or `to` if there is none. */
function firstNonBlank(text: string, from: number, to: number): number {
  let position = from;
  while (position < to && isBlank(text[position])) position++;
  return position;
}

/** Returns how often the character is repeated from `from` on. */
function runLength(character: string, text: string, from: number): number {
  let position = from;
  while (text[position] === character) position++;
  return position - from;
}

/** Number of leading blanks of an indented code block. */
const CODE_INDENT = 4;

function isIndented(text: string, { from, first }: Line): boolean {
  return first - from >= CODE_INDENT || text.slice(from, first).includes('\t');
}

/** Returns whether a line consists of at least `tildeCount` tildes and trailing blanks. */
function isClosingFence(text: string, { to, first }: Line, tildeCount: number): boolean {
  const fenceLength = runLength(TILDE, text, first);
  return fenceLength >= tildeCount && firstNonBlank(text, first + fenceLength, to) === to;
}

/** Returns how many of the ascending borders are at or before the position. */
function countBordersUpTo(borders: readonly number[], position: number): number {
  let [from, to] = [0, borders.length];
  while (from < to) {
    const midpoint = (from + to) >> 1;
    if (borders[midpoint]! <= position) from = midpoint + 1;
    else to = midpoint;
  }
  return from;
}
