import { codeIn, MOST_PLACES } from '#api/planning/issuables/index.ts';

/** So many of one text are looked at. */
const MOST = 100;

const WORDS: readonly string[] = [
  'close',
  'closes',
  'closed',
  'fix',
  'fixes',
  'fixed',
  'resolve',
  'resolves',
  'resolved',
];

const LONGEST_WORD = 'resolved'.length;
const LONGEST_NUMBER = 9;

/**
 * The numbers of the issues that a description closes on merge, or the message of a commit, each once: a word that says so,
 * perhaps with a colon, and `#n`, perhaps with more of them behind it (`Closes #1, #2 and #3`). What stands in code closes
 * nothing; what is merely indented does, as in the message that `git merge --squash` makes of others. Time grows with the text's
 * length alone. contract/planning.md §3.8
 */
export function closedBy(description: string): number[] {
  const found = new Set<number>();
  const code = codeIn(description, { indented: false });
  /** Behind the last reference that closes: another one that follows it closes too. */
  let open = -1;
  let places = 0;
  for (const { index: at } of description.matchAll(/#(?=\d)/g)) {
    if (found.size === MOST || ++places > MOST_PLACES) break;
    const end = endOfNumber(description, at + 1);
    if (end === null || code.has(at)) continue;
    if (!(open !== -1 && isSeparator(description.slice(open, at))) && !saysSo(description, at)) continue;
    const iid = Number(description.slice(at + 1, end));
    if (iid > 0) found.add(iid);
    open = end;
  }
  return [...found];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

/** Where the number that begins here ends; null: it is none. */
function endOfNumber(text: string, start: number): number | null {
  let end = start;
  while (end - start <= LONGEST_NUMBER && isDigit(text[end])) end++;
  return end === start || isWord(text[end]) ? null : end;
}

/** What stands between references of which the first closes. */
const SEPARATORS = [',', 'and', ', and'];
const LONGEST_SEPARATOR = ' , and '.length;

function isSeparator(text: string): boolean {
  return text.length <= LONGEST_SEPARATOR && SEPARATORS.includes(text.trim().toLowerCase());
}

/** Whether one of the words stands before this place, as a word of its own. */
function saysSo(text: string, at: number): boolean {
  let end = at;
  if (!isBlank(text[end - 1])) return false;
  while (isBlank(text[end - 1])) end--;
  if (text[end - 1] === ':') end--;
  let start = end;
  while (end - start <= LONGEST_WORD && isWord(text[start - 1])) start--;
  return WORDS.includes(text.slice(start, end).toLowerCase());
}
