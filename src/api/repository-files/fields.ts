import type { Raw } from '../../http/parameters/brackets.ts';
import { decodeSpilledBase64, SpilledText, type Spills } from '../../http/spilled-text.ts';
import { type Refused, refused } from '../../refused.ts';
import type { NewBytes } from '../../repositories/new-content.ts';
import { textOf } from './body.ts';

/** What a file write asks for, checked by hand: the first broken rule answers (contract/repository.md §1, table). */
export interface WriteFields {
  readonly branch: string;
  readonly message: string;
  readonly content: NewBytes;
  readonly executable: boolean | undefined;
  readonly startBranch: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly lastCommitId: string | undefined;
}

export type FieldRefusal = 'required' | 'contentInvalid' | 'encodingUnknown' | 'filemodeInvalid' | 'base64Invalid';

export const FIELD_REFUSALS = {
  required: [400, '400 Bad request - {name} is required'],
  contentInvalid: [400, '400 Bad request - content is invalid'],
  encodingUnknown: [400, '400 Bad request - encoding must be text or base64'],
  filemodeInvalid: [400, '400 Bad request - execute_filemode must be a boolean'],
  base64Invalid: [400, '400 Bad request - content is not valid base64'],
} as const;

export async function readFields(given: Raw, spills: Spills): Promise<WriteFields | Refused<FieldRefusal>> {
  const branch = textOf(given, 'branch') ?? '';
  const message = textOf(given, 'commit_message') ?? '';
  if (branch.trim() === '') return refused('required', { name: 'branch' });
  if (message.trim() === '') return refused('required', { name: 'commit_message' });
  if (given.content === undefined) return refused('required', { name: 'content' });
  if (!isContent(given.content)) return refused('contentInvalid');
  const encoding = textOf(given, 'encoding') ?? 'text';
  if (encoding !== 'text' && encoding !== 'base64') return refused('encodingUnknown');
  const executable = readFilemode(given.execute_filemode);
  if (executable === 'invalid') return refused('filemodeInvalid');
  const content = await decodeContent(given.content ?? '', encoding, spills);
  if (content === null) return refused('base64Invalid');
  return { branch, message, content, executable, ...commitFields(given) };
}

export function commitFields(given: Raw) {
  return {
    startBranch: textOf(given, 'start_branch') || undefined,
    authorName: textOf(given, 'author_name') || undefined,
    authorEmail: textOf(given, 'author_email') || undefined,
    lastCommitId: textOf(given, 'last_commit_id') || undefined,
  };
}

/** `true`, `"true"` and their opposites; nothing else is a boolean here. */
export function readFilemode(value: unknown): boolean | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : 'invalid';
}

/** Text, short or long; null stands for an empty file. */
export function isContent(value: unknown): value is string | SpilledText | null {
  return value === null || typeof value === 'string' || value instanceof SpilledText;
}

/** Line breaks and missing padding are fine in base64; anything else outside its alphabet is not: it would be lost. */
export async function decodeContent(
  content: string | SpilledText,
  encoding: 'text' | 'base64',
  spills: Spills,
): Promise<NewBytes | null> {
  if (content instanceof SpilledText) return encoding === 'text' ? content : decodeSpilledBase64(content, spills);
  if (encoding === 'text') return Buffer.from(content, 'utf8');
  const letters = content.replace(/[\r\n]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(letters) || letters.replace(/=+$/, '').length % 4 === 1) return null;
  return Buffer.from(letters, 'base64');
}
