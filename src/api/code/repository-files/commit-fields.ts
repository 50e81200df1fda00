import type { RawParameters } from '#http/parameters/brackets.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, fileContent, refName, shortText } from '#http/parameters/texts.ts';
import { boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import type { FileBytes } from '#repositories/lfs/lfs-content.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { decodeContent, parseEncoding } from './content-encoding.ts';
import { getTextParameter } from './deferred-body.ts';

/** The parameters of every commit through the API. */
export const commitParams = {
  branch: required(notBlank(refName)),
  commit_message: required(notBlank(commitMessage)),
  start_branch: optional(refName),
  author_email: optional(shortText),
  author_name: optional(shortText),
  last_commit_id: optional(refName),
};

/** The parameters of endpoints that write a file. */
export const contentParams = {
  content: required(fileContent),
  encoding: optional(oneOf('text', 'base64'), 'text'),
  execute_filemode: optional(boolean),
};

export const writeParams = { ...commitParams, ...contentParams };

/** The parsed commit parameters. */
export interface CommitFields {
  readonly branch: string;
  readonly message: string;
  readonly startBranch: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly lastCommitId: string | undefined;
}

/**
 * The parsed parameters of a file write. The order of their checks is that of the table in contract/repository.md §1:
 * the first violated rule is reported.
 */
interface WriteFields extends CommitFields {
  readonly content: FileBytes;
  readonly executable: boolean | undefined;
}

export type FieldFailure = keyof typeof FIELD_ERRORS;

export const FIELD_ERRORS = {
  required: [400, '400 Bad request - {name} is required'],
  contentInvalid: [400, '400 Bad request - content is invalid'],
  encodingUnknown: [400, '400 Bad request - encoding must be text or base64'],
  filemodeInvalid: [400, '400 Bad request - execute_filemode must be a boolean'],
  base64Invalid: [400, '400 Bad request - content is not valid base64'],
} as const;

/** Parses the parameters of a file write. Fails with the first violated rule. */
export async function parseWriteFields(parameters: RawParameters): Promise<WriteFields | Failure<FieldFailure>> {
  const fields = parseCommitFields(parameters);
  const { branch, message } = fields;
  if (branch.trim() === '') return fail('required', { name: 'branch' });
  if (message.trim() === '') return fail('required', { name: 'commit_message' });
  if (parameters.content === undefined) return fail('required', { name: 'content' });
  const encoding = parseEncoding(parameters.encoding);
  const content = await decodeContent(parameters.content ?? '', encoding === 'unknown' ? 'text' : encoding);
  if (content === 'invalid') return fail('contentInvalid');
  if (encoding === 'unknown') return fail('encodingUnknown');
  const executable = parseBoolean(parameters.execute_filemode);
  if (executable === 'invalid') return fail('filemodeInvalid');
  if (content === 'notBase64') return fail('base64Invalid');
  return { ...fields, content, executable };
}

/** Parses the commit parameters. Blank optional values count as omitted. */
export function parseCommitFields(parameters: RawParameters): CommitFields {
  return {
    branch: getTextParameter(parameters, 'branch') ?? '',
    message: getTextParameter(parameters, 'commit_message') ?? '',
    startBranch: getTextParameter(parameters, 'start_branch') || undefined,
    authorName: getTextParameter(parameters, 'author_name') || undefined,
    authorEmail: getTextParameter(parameters, 'author_email') || undefined,
    lastCommitId: getTextParameter(parameters, 'last_commit_id') || undefined,
  };
}

/** Parses a boolean, or the text `true` or `false`. Null counts as omitted; anything else is invalid. */
export function parseBoolean(value: unknown): boolean | undefined | 'invalid' {
  if (value === undefined || value === null) return undefined;
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : 'invalid';
}
