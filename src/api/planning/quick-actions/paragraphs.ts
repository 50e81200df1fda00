// Finds the top-level paragraphs of a text: lines outside of lists, quotes, code and HTML.

/** The position of a line in a text. */
interface TextLine {
  /** Start and end in the text, without the line break. */
  readonly start: number;
  readonly end: number;
}

/** The block to which a line belongs. */
type BlockState =
  | { readonly kind: 'paragraph' }
  /** A list or a quote, up to the next empty line. */
  | { readonly kind: 'block' }
  /** HTML, up to the next empty line. */
  | { readonly kind: 'html' }
  /** A block up to the line for which `isEnd` returns true. */
  | { readonly kind: 'until'; readonly isEnd: (line: string) => boolean };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const QUOTE = /^ {0,3}>/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const TAG = /^ {0,3}<\/?([A-Za-z][A-Za-z0-9-]*)(?:[\s/>]|$)/;
/** HTML elements that end only at their closing tag. */
const RAW_TAGS = ['pre', 'script', 'style', 'textarea'];
/** A line that begins and ends a quote of several paragraphs. */
const QUOTE_FENCE = '>>>';

/** Maximum number of scanned lines; later lines are plain text. */
const MAX_LINES = 10_000;

/** Returns the lines of each paragraph in order. Runs in linear time. */
export function findParagraphs(text: string): TextLine[][] {
  const paragraphs: TextLine[][] = [];
  let openBlock: BlockState | null = null;
  /** Whether the last block was a list: then an indented line after an empty one continues the list item. */
  let afterList = false;
  for (const line of splitLines(text)) {
    const lineText = text.slice(line.start, line.end).replace(/\r$/, '');
    if (openBlock?.kind === 'until') {
      if (openBlock.isEnd(lineText)) openBlock = null;
      continue;
    }
    if (lineText.trim() === '') {
      afterList ||= openBlock?.kind === 'block';
      openBlock = null;
      continue;
    }
    if (openBlock?.kind === 'html') continue;
    const block: BlockState = nextBlock(lineText, openBlock, afterList);
    if (block.kind !== 'block') afterList = false;
    if (block.kind === 'paragraph') {
      if (openBlock?.kind === 'paragraph') paragraphs.at(-1)!.push(line);
      else paragraphs.push([line]);
    }
    openBlock = HEADING.test(lineText) ? null : block;
  }
  return paragraphs;
}

function* splitLines(text: string): Generator<TextLine> {
  for (let from = 0, lineCount = 0; from <= text.length && lineCount < MAX_LINES; lineCount++) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    yield { start: from, end: to };
    from = to + 1;
  }
}

/** Returns the block that this non-empty line begins or continues. */
function nextBlock(line: string, openBlock: BlockState | null, afterList: boolean): BlockState {
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined && (fence.startsWith('~') || !line.trimStart().slice(fence.length).includes('`'))) {
    return { kind: 'until', isEnd: (other) => closesFence(other, fence) };
  }
  if (line.trimEnd() === QUOTE_FENCE) return { kind: 'until', isEnd: (other) => other.trimEnd() === QUOTE_FENCE };
  const html = findHtmlBlock(line, openBlock);
  if (html !== null) return html;
  if (QUOTE.test(line) || LIST.test(line)) return { kind: 'block' };
  if (openBlock !== null) return openBlock;
  // After an empty line, an indented line is code or continues the list.
  return /^(?: {4}|\t)/.test(line) || (afterList && /^[ \t]/.test(line)) ? { kind: 'block' } : { kind: 'paragraph' };
}

/** Returns whether the line closes the fence: only the same character, at least as many times. */
function closesFence(line: string, fence: string): boolean {
  const closingFence = FENCE.exec(line)?.[1];
  if (closingFence === undefined || closingFence[0] !== fence[0] || closingFence.length < fence.length) return false;
  return line.trim().length === closingFence.length;
}

/** Returns the HTML block that this line begins, or null. */
function findHtmlBlock(line: string, openBlock: BlockState | null): BlockState | null {
  const trimmed = line.trimStart();
  if (trimmed.startsWith('<!--')) return blockUntil(trimmed.slice(4), '-->');
  if (trimmed.startsWith('<?')) return blockUntil(trimmed.slice(2), '?>');
  const tag = TAG.exec(line)?.[1]?.toLowerCase();
  if (tag === undefined) return null;
  if (RAW_TAGS.includes(tag) && !trimmed.startsWith('</')) return blockUntil(trimmed.toLowerCase(), `</${tag}>`);
  // A tag inside a paragraph belongs to it.
  return openBlock === null || openBlock.kind === 'block' ? { kind: 'html' } : null;
}

/** Returns a block up to the line that contains `end`, which may be the first one. */
function blockUntil(text: string, end: string): BlockState {
  if (text.includes(end)) return { kind: 'block' };
  return { kind: 'until', isEnd: (line) => line.toLowerCase().includes(end) };
}
