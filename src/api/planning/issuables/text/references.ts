import type { ResourceType } from '#activity/index.ts';
import { findCodeRanges, MAX_SCANNED_POSITIONS } from './code.ts';

/** A reference in a text: `#2` to an issue, `project!2` to a merge request, `group&2` to an epic. */
export interface TextReference {
  readonly type: ResourceType;
  /** Path as written; empty for the project or group of the text. */
  readonly path: string;
  readonly iid: number;
}

/** Maximum number of references found in one text. */
const MAX_REFERENCES = 100;

const TYPES_BY_PREFIX = { '#': 'Issue', '!': 'MergeRequest', '&': 'Epic' } as const satisfies Record<
  string,
  ResourceType
>;
type ReferencePrefix = keyof typeof TYPES_BY_PREFIX;

/** Reference prefix of each resource type. */
export const REFERENCE_PREFIXES = { Issue: '#', MergeRequest: '!', Epic: '&' } as const satisfies Record<
  ResourceType,
  ReferencePrefix
>;

/** Maximum number of digits of an iid. */
const MAX_DIGITS = 9;

/** Returns the distinct references in a text, except those in code. Takes linear time. */
export function parseReferences(text: string): TextReference[] {
  const referencesByText = new Map<string, TextReference>();
  const code = findCodeRanges(text);
  let scannedCount = 0;
  for (const { 0: prefix, index: prefixIndex } of text.matchAll(/[#!&](?=\d)/g)) {
    if (referencesByText.size === MAX_REFERENCES || ++scannedCount > MAX_SCANNED_POSITIONS) break;
    const reference = code.has(prefixIndex) ? null : parseReferenceAt(text, prefixIndex);
    if (reference) referencesByText.set(`${reference.path.toLowerCase()}${prefix}${reference.iid}`, reference);
  }
  return [...referencesByText.values()];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWord = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isPathCharacter = (character: string | undefined) => isWord(character) || /^[./-]$/.test(character ?? '');

/** Returns the reference whose prefix character is at `prefixIndex`, or null. */
function parseReferenceAt(text: string, prefixIndex: number): TextReference | null {
  let end = prefixIndex + 1;
  while (end - prefixIndex <= MAX_DIGITS && isDigit(text[end])) end++;
  if (isWord(text[end])) return null;
  // Scans back to the start of the path. A path contains no prefix character, so no character is scanned twice.
  let start = prefixIndex;
  while (start > 0 && isPathCharacter(text[start - 1])) start--;
  const path = text.slice(start, prefixIndex);
  // `&#39;` is an HTML entity; `a:b#1` has no valid path.
  if (path === '' && text[prefixIndex - 1] === '&') return null;
  const iid = Number(text.slice(prefixIndex + 1, end));
  if (iid === 0 || path.startsWith('/') || path.endsWith('/')) return null;
  return { type: TYPES_BY_PREFIX[text[prefixIndex] as ReferencePrefix], path, iid };
}
