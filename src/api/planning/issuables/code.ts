/** Where a text is code or a comment: there it names nothing. */
export interface Code {
  has(place: number): boolean;
}

/** So many places of a text are looked at for names, whatever is found there. */
export const MOST_PLACES = 10_000;

const TICK = '`';
const TILDE = '~';
const COMMENT = '<!--';
const COMMENT_END = '-->';
/** So many of a sign hold on to as many of them, however many paragraphs there are between, or to the end of the text. */
const FENCE = 3;

/** What begins an item of a list or a heading, and so ends the paragraph before it. */
const ITEM = /^(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const HEADING = /^#{1,6}(?:[ \t]|$)/;
const LONGEST_BEGINNING = 11;

/** So many lines of a text are looked at one by one; what is behind them counts as one more. */
const MOST_LINES = 10_000;

interface Open {
  readonly sign: typeof TICK | typeof TILDE;
  readonly from: number;
  readonly many: number;
}

/**
 * What stands between back-ticks of one paragraph, between lines of three and more of them or of tildes, and what is indented
 * behind an empty line outside of lists; and comments that begin a line, as those of templates do. Time grows with the text's
 * length alone, whatever it is made of. `indented: false` for what is not always Markdown: there, what is indented is text.
 */
export function codeIn(text: string, { indented = true } = {}): Code {
  /** Where code begins and ends, one after the other. */
  const borders: number[] = [];
  let open = null as Open | null;
  let around: Around = OUTSIDE;
  let tick = text.indexOf(TICK);
  /** Behind the last comment. */
  let behind = 0;
  for (const line of linesOf(text)) {
    const { from, to, first } = line;
    if (to < behind) continue;
    if (open?.sign === TILDE) {
      if (!isEnd(text, line, open.many)) continue;
      borders.push(open.from, to);
      open = null;
      around = { ...around, goesOn: false };
      continue;
    }
    if (from >= behind && (open === null || open.many < FENCE)) {
      const begun = beginningOf(text, line);
      if (begun !== 'text') open = null;
      const before = around;
      around = after(before, line, begun);
      if (begun === 'nothing') continue;
      const tildes = runOf(TILDE, text, first);
      if (tildes >= FENCE) {
        open = { sign: TILDE, from: first, many: tildes };
        continue;
      }
      if (indented && !before.goesOn && !around.inList && isIndented(text, line) && runOf(TICK, text, first) < FENCE) {
        borders.push(from, to);
        around = before;
        continue;
      }
      if (text.startsWith(COMMENT, first)) {
        open = null;
        behind = endOfComment(text, first);
        borders.push(first, behind);
      }
    }
    const begin = Math.max(first, behind);
    if (tick >= 0 && tick < begin) tick = text.indexOf(TICK, begin);
    if (tick >= 0 && tick < to) open = pairTicks(text, tick, to, open, borders);
  }
  if (open !== null && open.many >= FENCE) borders.push(open.from, text.length);
  return { has: (place) => bordersUpTo(borders, place) % 2 === 1 };
}

/** One that nothing ends goes to the end of the text. */
function endOfComment(text: string, from: number): number {
  const end = text.indexOf(COMMENT_END, from + COMMENT.length);
  return end < 0 ? text.length : end + COMMENT_END.length;
}

/** Ends what is open, and what these ticks begin, where as many follow; what stays open is the answer. */
function pairTicks(text: string, from: number, to: number, before: Open | null, borders: number[]): Open | null {
  let open = before;
  for (let tick = from; tick >= 0 && tick < to; tick = text.indexOf(TICK, tick)) {
    const begin = tick;
    while (text[tick] === TICK) tick++;
    if (open === null) open = { sign: TICK, from: begin, many: tick - begin };
    else if (open.many === tick - begin) {
      borders.push(open.from, tick);
      open = null;
    }
  }
  return open;
}

interface Line {
  readonly from: number;
  readonly to: number;
  /** Where the first thing in it stands; `to`: it is empty. */
  readonly first: number;
}

function* linesOf(text: string): Generator<Line> {
  for (let from = 0, many = 0; from <= text.length; many++) {
    const end = many < MOST_LINES ? text.indexOf('\n', from) : -1;
    const to = end < 0 ? text.length : end;
    yield { from, to, first: firstIn(text, from, to) };
    from = to + 1;
  }
}

type Beginning = 'nothing' | 'item' | 'heading' | 'text';

function beginningOf(text: string, { to, first }: Line): Beginning {
  if (first === to) return 'nothing';
  const begun = text.slice(first, Math.min(to, first + LONGEST_BEGINNING));
  if (ITEM.test(begun)) return 'item';
  return HEADING.test(begun) ? 'heading' : 'text';
}

/** What the next line may be a part of. */
interface Around {
  /** A paragraph that has not ended. */
  readonly goesOn: boolean;
  readonly inList: boolean;
}

const OUTSIDE: Around = { goesOn: false, inList: false };

/** A list goes on with what is indented, an empty line between or not; a paragraph of it with what is not, too. */
function after({ goesOn, inList }: Around, { from, first }: Line, begun: Beginning): Around {
  if (begun === 'nothing') return { goesOn: false, inList };
  return { goesOn: true, inList: begun === 'item' || (inList && (goesOn || first > from)) };
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t' || character === '\r';

/** Where the first thing of a line stands; its end: it is empty. */
function firstIn(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text[at])) at++;
  return at;
}

/** How many of this sign stand here. */
function runOf(sign: string, text: string, from: number): number {
  let at = from;
  while (text[at] === sign) at++;
  return at - from;
}

const INDENTED = 4;

function isIndented(text: string, { from, first }: Line): boolean {
  return first - from >= INDENTED || text.slice(from, first).includes('\t');
}

/** Whether a line is at least so many tildes and nothing else. */
function isEnd(text: string, { to, first }: Line, many: number): boolean {
  const found = runOf(TILDE, text, first);
  return found >= many && firstIn(text, first + found, to) === to;
}

/** How many of these ascending places are at or before this one. */
function bordersUpTo(borders: readonly number[], place: number): number {
  let [from, to] = [0, borders.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (borders[middle]! <= place) from = middle + 1;
    else to = middle;
  }
  return from;
}
