import { placesInCode } from '../issuables/index.ts';

/** A reference to an issue, as it stands in a text: `#2`, `project#2`, `group/project#2`. */
export interface Reference {
  /** As it was written; empty: the text's own project. Without a slash: beside that project. */
  readonly path: string;
  readonly iid: number;
}

/** So many of one text are looked at. */
const MOST = 100;

const SIGN = '#';
const LONGEST_NUMBER = 9;

/** The issues that a text names, each once; what stands in code names none. Time grows with the text's length alone. */
export function referencesIn(text: string): Reference[] {
  const found = new Map<string, Reference>();
  const code = placesInCode(text, SIGN);
  for (let at = text.indexOf(SIGN); at !== -1 && found.size < MOST; at = text.indexOf(SIGN, at + 1)) {
    const reference = code.has(at) ? null : referenceAt(text, at);
    if (reference) found.set(`${reference.path.toLowerCase()}${SIGN}${reference.iid}`, reference);
  }
  return [...found.values()];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isOfPath = (character: string | undefined) => isWord(character) || /^[./-]$/.test(character ?? '');

function referenceAt(text: string, at: number): Reference | null {
  let end = at + 1;
  while (end - at <= LONGEST_NUMBER && isDigit(text[end])) end++;
  if (end === at + 1 || isWord(text[end])) return null;
  // Back to where the path begins: it holds no sign, so that no character is looked at twice.
  let start = at;
  while (start > 0 && isOfPath(text[start - 1])) start--;
  const path = text.slice(start, at);
  // `&#39;` is a character, `a:b#1` no path.
  if (path === '' && text[at - 1] === '&') return null;
  const iid = Number(text.slice(at + 1, end));
  return iid === 0 || path.startsWith('/') || path.endsWith('/') ? null : { path, iid };
}
