import type { ResourceType } from '#activity/index.ts';
import { codeIn, MOST_PLACES } from './code.ts';

/** What a text names by its number: `#2` an issue, `project!2` a merge request, `group&2` an epic. */
export interface Reference {
  readonly type: ResourceType;
  /** As it was written; empty: the text's own place. */
  readonly path: string;
  readonly iid: number;
}

/** So many are found in one text. */
const MOST = 100;

const TYPES = { '#': 'Issue', '!': 'MergeRequest', '&': 'Epic' } as const satisfies Record<string, ResourceType>;
type Sign = keyof typeof TYPES;

/** How each kind is named. */
export const SIGNS = { Issue: '#', MergeRequest: '!', Epic: '&' } as const satisfies Record<ResourceType, Sign>;

const LONGEST_NUMBER = 9;

/** What a text names, each once; what stands in code names nothing. Time grows with the text's length alone. */
export function referencesIn(text: string): Reference[] {
  const found = new Map<string, Reference>();
  const code = codeIn(text);
  let places = 0;
  for (const { 0: sign, index: at } of text.matchAll(/[#!&](?=\d)/g)) {
    if (found.size === MOST || ++places > MOST_PLACES) break;
    const reference = code.has(at) ? null : referenceAt(text, at);
    if (reference) found.set(`${reference.path.toLowerCase()}${sign}${reference.iid}`, reference);
  }
  return [...found.values()];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isOfPath = (character: string | undefined) => isWord(character) || /^[./-]$/.test(character ?? '');

function referenceAt(text: string, at: number): Reference | null {
  let end = at + 1;
  while (end - at <= LONGEST_NUMBER && isDigit(text[end])) end++;
  if (isWord(text[end])) return null;
  // Back to where the path begins: it holds no sign, so that no character is looked at twice.
  let start = at;
  while (start > 0 && isOfPath(text[start - 1])) start--;
  const path = text.slice(start, at);
  // `&#39;` is a character, `a:b#1` no path.
  if (path === '' && text[at - 1] === '&') return null;
  const iid = Number(text.slice(at + 1, end));
  if (iid === 0 || path.startsWith('/') || path.endsWith('/')) return null;
  return { type: TYPES[text[at] as Sign], path, iid };
}
