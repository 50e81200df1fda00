import { findCodeRanges, MAX_SCANNED_POSITIONS } from '#api/planning/issuables/index.ts';
import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Transaction } from '#database/database.ts';

/** Maximum number of closing references found in one text. */
const MAX_REFERENCES = 100;

const KEYWORDS: readonly string[] = [
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

const MAX_KEYWORD_LENGTH = 'resolved'.length;
/** Maximum number of digits of an iid. */
const MAX_DIGITS = 9;

/**
 * Returns the distinct iids of the issues that a description or commit message closes. The syntax is a keyword, an optional colon and
 * `#n`, followed by further references (`Closes #1, #2 and #3`). References in code do not count; indented references do, because
 * `git merge --squash` indents the original messages. Takes linear time. contract/planning.md §3.8
 */
export function parseClosingIids(description: string): number[] {
  const issueIids = new Set<number>();
  const code = findCodeRanges(description, { indented: false });
  // End of the last closing reference, or -1. A reference that follows it after a separator closes its issue too.
  let lastReferenceEnd = -1;
  let scannedCount = 0;
  for (const { index: hashIndex } of description.matchAll(/#(?=\d)/g)) {
    if (issueIids.size === MAX_REFERENCES || ++scannedCount > MAX_SCANNED_POSITIONS) break;
    const end = findNumberEnd(description, hashIndex + 1);
    if (end === null || code.has(hashIndex)) continue;
    const continuesList = lastReferenceEnd !== -1 && isSeparator(description.slice(lastReferenceEnd, hashIndex));
    if (!continuesList && !followsKeyword(description, hashIndex)) continue;
    const iid = Number(description.slice(hashIndex + 1, end));
    if (iid > 0) issueIids.add(iid);
    lastReferenceEnd = end;
  }
  return [...issueIids];
}

const isDigit = (character: string | undefined) => character !== undefined && character >= '0' && character <= '9';
const isWordCharacter = (character: string | undefined) => character !== undefined && /^\w$/.test(character);
const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

/** Returns the end of the number that begins at `start`, or null if no number begins there. */
function findNumberEnd(text: string, start: number): number | null {
  let end = start;
  while (end - start <= MAX_DIGITS && isDigit(text[end])) end++;
  return end === start || isWordCharacter(text[end]) ? null : end;
}

/** Separators between closing references. */
const SEPARATORS = [',', 'and', ', and'];
const MAX_SEPARATOR_LENGTH = ' , and '.length;

function isSeparator(text: string): boolean {
  return text.length <= MAX_SEPARATOR_LENGTH && SEPARATORS.includes(text.trim().toLowerCase());
}

/** Returns whether a whole keyword, perhaps with a colon, and a blank precede the reference at `hashIndex`. */
function followsKeyword(text: string, hashIndex: number): boolean {
  let end = hashIndex;
  if (!isBlank(text[end - 1])) return false;
  while (isBlank(text[end - 1])) end--;
  if (text[end - 1] === ':') end--;
  let start = end;
  while (end - start <= MAX_KEYWORD_LENGTH && isWordCharacter(text[start - 1])) start--;
  return KEYWORDS.includes(text.slice(start, end).toLowerCase());
}

/** Stores the iids of the issues that the description closes. index: merge_request_closing_iids_pkey */
export async function updateClosingIids(
  tx: Transaction,
  { id, project_id, description }: Pick<MergeRequest, 'id' | 'project_id' | 'description'>,
): Promise<void> {
  await tx.deleteFrom('merge_request_closing_iids').where('merge_request_id', '=', id).execute();
  const iids = parseClosingIids(description ?? '');
  if (iids.length === 0) return;
  await tx
    .insertInto('merge_request_closing_iids')
    .values(iids.map((issue_iid) => ({ merge_request_id: id, project_id, issue_iid })))
    .execute();
}
