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
  const search = new Search(text, indented);
  for (const line of linesOf(text)) search.read(line);
  const borders = search.end();
  return { has: (place) => bordersUpTo(borders, place) % 2 === 1 };
}

/** Reads a text line by line. */
class Search {
  readonly #text: string;
  readonly #indented: boolean;
  /** Where code begins and ends, one after the other. */
  readonly #borders: number[] = [];
  /** What has begun and not ended. */
  #open: Open | null = null;
  #around = OUTSIDE;
  /** The next back-tick; below 0: there is none. */
  #tick: number;
  /** Behind the last comment. */
  #behind = 0;

  constructor(text: string, indented: boolean) {
    this.#text = text;
    this.#indented = indented;
    this.#tick = text.indexOf(TICK);
  }

  read(line: Line): void {
    if (line.to < this.#behind) return;
    if (this.#open?.sign === TILDE) this.#endTildes(line, this.#open);
    else if (!this.#begin(line)) this.#pairTicks(line);
  }

  /** Three and more that nothing ends hold on to the end of the text. */
  end(): readonly number[] {
    if (this.#open !== null && this.#open.many >= FENCE) this.#borders.push(this.#open.from, this.#text.length);
    return this.#borders;
  }

  #endTildes(line: Line, { from, many }: Open): void {
    if (!isEnd(this.#text, line, many)) return;
    this.#borders.push(from, line.to);
    this.#open = null;
    this.#around = { ...this.#around, goesOn: false };
  }

  /** What begins with this line; true: it holds nothing else. */
  #begin(line: Line): boolean {
    if (line.from < this.#behind || (this.#open !== null && this.#open.many >= FENCE)) return false;
    const begun = beginningOf(this.#text, line);
    // The paragraph has ended, and with it what is open there.
    if (begun !== 'text') this.#open = null;
    const before = this.#around;
    this.#around = after(before, line, begun);
    if (begun === 'nothing' || this.#beginTildes(line) || this.#takeIndented(line, before)) return true;
    this.#takeComment(line);
    return false;
  }

  #beginTildes({ first }: Line): boolean {
    const many = runOf(TILDE, this.#text, first);
    if (many < FENCE) return false;
    this.#open = { sign: TILDE, from: first, many };
    return true;
  }

  #takeIndented(line: Line, before: Around): boolean {
    if (!this.#indented || before.goesOn || this.#around.inList || !isIndented(this.#text, line)) return false;
    if (runOf(TICK, this.#text, line.first) >= FENCE) return false;
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

  /** Back-ticks end what is open, or begin what as many of them end. */
  #pairTicks({ first, to }: Line): void {
    const text = this.#text;
    const begin = Math.max(first, this.#behind);
    if (this.#tick >= 0 && this.#tick < begin) this.#tick = text.indexOf(TICK, begin);
    while (this.#tick >= 0 && this.#tick < to) {
      const from = this.#tick;
      const many = runOf(TICK, text, from);
      if (this.#open === null) this.#open = { sign: TICK, from, many };
      else if (this.#open.many === many) {
        this.#borders.push(this.#open.from, from + many);
        this.#open = null;
      }
      this.#tick = text.indexOf(TICK, from + many);
    }
  }
}

/** One that nothing ends goes to the end of the text. */
function endOfComment(text: string, from: number): number {
  const end = text.indexOf(COMMENT_END, from + COMMENT.length);
  return end < 0 ? text.length : end + COMMENT_END.length;
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
