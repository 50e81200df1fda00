import type { Raw } from '#http/parameters/brackets.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { fileContent, message, refName, title } from '#http/parameters/texts.ts';
import { boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import type { Bytes } from '#repositories/lfs/lfs-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { decodeContent, readEncoding } from './content-encoding.ts';
import { textOf } from './deferred-body.ts';

/** The fields of every commit over the API. */
export const commitParams = {
  branch: required(notBlank(refName)),
  commit_message: required(notBlank(message)),
  start_branch: optional(refName),
  author_email: optional(title),
  author_name: optional(title),
  last_commit_id: optional(refName),
};

/** The fields of what writes a file. */
export const contentParams = {
  content: required(fileContent),
  encoding: optional(oneOf('text', 'base64'), 'text'),
  execute_filemode: optional(boolean),
};

export const writeParams = { ...commitParams, ...contentParams };

/** What every commit over the API is asked for with. */
export interface CommitFields {
  readonly branch: string;
  readonly message: string;
  readonly startBranch: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly lastCommitId: string | undefined;
}

/** What a file write asks for, checked by hand: the first broken rule answers (contract/repository.md §1, table). */
interface WriteFields extends CommitFields {
  readonly content: Bytes;
  readonly executable: boolean | undefined;
}

export type FieldFailure = keyof typeof FIELD_REFUSALS;

export const FIELD_REFUSALS = {
  required: [400, '400 Bad request - {name} is required'],
  contentInvalid: [400, '400 Bad request - content is invalid'],
  encodingUnknown: [400, '400 Bad request - encoding must be text or base64'],
  filemodeInvalid: [400, '400 Bad request - execute_filemode must be a boolean'],
  base64Invalid: [400, '400 Bad request - content is not valid base64'],
} as const;

export async function readFields(given: Raw): Promise<WriteFields | Failure<FieldFailure>> {
  const fields = commitFields(given);
  const { branch, message } = fields;
  if (branch.trim() === '') return fail('required', { name: 'branch' });
  if (message.trim() === '') return fail('required', { name: 'commit_message' });
  if (given.content === undefined) return fail('required', { name: 'content' });
  const encoding = readEncoding(given.encoding);
  const content = await decodeContent(given.content ?? '', encoding === 'unknown' ? 'text' : encoding);
  if (content === 'invalid') return fail('contentInvalid');
  if (encoding === 'unknown') return fail('encodingUnknown');
  const executable = readFilemode(given.execute_filemode);
  if (executable === 'invalid') return fail('filemodeInvalid');
  if (content === 'notBase64') return fail('base64Invalid');
  return { ...fields, content, executable };
}

/** Blank ones are not given. */
export function commitFields(given: Raw): CommitFields {
  return {
    branch: textOf(given, 'branch') ?? '',
    message: textOf(given, 'commit_message') ?? '',
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
