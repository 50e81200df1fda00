import type { RawParameters } from '#http/parameters/brackets.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, fileContent, refName, shortText } from '#http/parameters/texts.ts';
import { boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import type { RequirePushableBranch } from '#repositories/branches/push-permission.ts';
import { type CommitToBranchFailure, commitToBranch } from '#repositories/commits/commit-to-branch.ts';
import type { FileBytes } from '#repositories/lfs/lfs-content.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { trimEndCharacters } from '#text/trim.ts';
import { type BodyCall, type BodyFailure, getTextParameter, readDeferredBody } from './deferred-body.ts';
import type { WrittenFile } from './entities.ts';
import { isSpooledText, type SpooledText } from './large-body/spooled-text.ts';

type FileWriteServices = Pick<Services, 'database' | 'blobs' | 'git' | 'runUnitOfWork'>;

/** The call of the endpoint, whose body is not read yet. */
interface WriteCall extends BodyCall {
  readonly params: { readonly file_path: string };
  readonly requirePushableBranch: RequirePushableBranch;
}

type WriteFailure = 'notAllowed' | CommitToBranchFailure;

/** Creates one commit that writes one file. Errors take precedence in the order of contract/repository.md §1. */
export async function writeFile(
  call: WriteCall,
  action: 'create' | 'update',
  services: FileWriteServices,
): Promise<WrittenFile | Failure<BodyFailure | FieldFailure | WriteFailure>> {
  await using body = await readDeferredBody(call, services, writeParams);
  if (isFailure(body.parameters)) return body.parameters;
  const fields = await parseWriteFields(body.parameters);
  if (isFailure(fields)) return fields;
  const branch = await call.requirePushableBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const path = call.params.file_path;
  const { content, executable } = fields;
  // A new file has no last commit.
  const lastCommitId = action === 'create' ? undefined : fields.lastCommitId;
  const commitId = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action, path, content, executable, lastCommitId }],
  });
  return isFailure(commitId) ? commitId : { file_path: path, branch: branch.name };
}

/** Creates one commit that deletes a file. */
export async function deleteFile(
  { requirePushableBranch, path }: { readonly requirePushableBranch: RequirePushableBranch; readonly path: string },
  { lastCommitId, ...fields }: CommitFields,
  services: FileWriteServices,
): Promise<undefined | Failure<WriteFailure>> {
  const branch = await requirePushableBranch(fields.branch);
  if (isFailure(branch)) return branch;
  const commitId = await commitToBranch(services, branch, {
    ...fields,
    changes: [{ action: 'delete', path, lastCommitId }],
  });
  return isFailure(commitId) ? commitId : undefined;
}

/** The parameters of every commit through the API. */
export const commitParams = {
  branch: describe(required(notBlank(refName)), 'Branch that gets the commit.'),
  commit_message: required(notBlank(commitMessage)),
  start_branch: describe(optional(refName), 'Branch at which `branch` is created; `branch` must not exist then.'),
  author_email: describe(optional(shortText), 'Email address of the author; absent: that of the caller.'),
  author_name: describe(optional(shortText), 'Name of the author; absent: that of the caller.'),
  last_commit_id: describe(
    optional(refName),
    'The call fails if the file has changed since this commit; ignored when a file is created.',
  ),
};

/** The parameters of endpoints that write a file. */
export const contentParams = {
  content: describe(required(fileContent), 'Content of the file, in `encoding`.'),
  encoding: describe(optional(oneOf('text', 'base64'), 'text'), 'Encoding of `content`; `base64` is for binary files.'),
  execute_filemode: describe(
    optional(boolean),
    'Whether the file is executable; absent: an existing file keeps its mode.',
  ),
};

/** The fields of the body of a file write. */
export const writeParams = { ...commitParams, ...contentParams };

/** The parsed commit parameters. */
interface CommitFields {
  readonly branch: string;
  readonly message: string;
  readonly startBranch: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly lastCommitId: string | undefined;
}

/** The parsed parameters of a file write. */
interface WriteFields extends CommitFields {
  readonly content: FileBytes;
  readonly executable: boolean | undefined;
}

type FieldFailure = keyof typeof FIELD_ERRORS;

/** Errors of the fields of a file write. */
export const FIELD_ERRORS = {
  required: [400, '400 Bad request - {name} is required'],
  contentInvalid: [400, '400 Bad request - content is invalid'],
  encodingUnknown: [400, '400 Bad request - encoding must be text or base64'],
  filemodeInvalid: [400, '400 Bad request - execute_filemode must be a boolean'],
  base64Invalid: [400, '400 Bad request - content is not valid base64'],
} as const;

/** Parses the parameters of a file write. Fails with the first violated rule of the table in contract/repository.md §1. */
async function parseWriteFields(parameters: RawParameters): Promise<WriteFields | Failure<FieldFailure>> {
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

type ContentEncoding = 'text' | 'base64';

/**
 * Parses `encoding`. A value that is not a string is unknown, so that content is never stored with the wrong encoding.
 */
export function parseEncoding(value: unknown): ContentEncoding | 'unknown' {
  if (value === undefined || value === null) return 'text';
  return value === 'text' || value === 'base64' ? value : 'unknown';
}

/** Decodes `content`. Returns `invalid` if it is not a string, and `notBase64` if it is not valid base64. */
export async function decodeContent(
  content: unknown,
  encoding: ContentEncoding,
): Promise<FileBytes | 'invalid' | 'notBase64'> {
  if (isSpooledText(content)) return decodeSpooled(content, encoding);
  if (typeof content !== 'string') return 'invalid';
  if (encoding === 'text') return Buffer.from(content, 'utf8');
  const base64Text = content.replace(/[\r\n]/g, '');
  return getBase64ByteLength(base64Text) === null ? 'notBase64' : Buffer.from(base64Text, 'base64');
}

/** Returns the bytes of a spooled text, which are read in chunks. */
async function decodeSpooled(content: SpooledText, encoding: ContentEncoding): Promise<FileBytes | 'notBase64'> {
  if (encoding === 'text') return { size: content.size, chunks: () => content.chunks() };
  const size = await countSpooledBase64Bytes(content);
  return size === null ? 'notBase64' : { size, chunks: () => decodeBase64Chunks(content) };
}

/**
 * Returns the byte length of base64 text, or null if it is invalid. Missing padding is allowed; other characters
 * outside the alphabet are not, since they would be lost.
 */
function getBase64ByteLength(base64Text: string): number | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64Text)) return null;
  return toDecodedLength(trimEndCharacters(base64Text, '=').length);
}

/** Returns the byte length of base64 text with this number of characters, without padding; null if it is invalid. */
function toDecodedLength(characterCount: number): number | null {
  return characterCount % 4 === 1 ? null : Math.floor((characterCount * 3) / 4);
}

/** Returns the byte length of spooled base64 text, or null if it is invalid. */
async function countSpooledBase64Bytes(content: SpooledText): Promise<number | null> {
  let characterCount = 0;
  let padding = 0;
  for await (const chunk of content.chunks()) {
    const base64Text = toBase64Text(chunk);
    const unpaddedText = trimEndCharacters(base64Text, '=');
    if (unpaddedText !== '' && (padding > 0 || !/^[A-Za-z0-9+/]*$/.test(unpaddedText))) return null;
    characterCount += unpaddedText.length;
    padding += base64Text.length - unpaddedText.length;
  }
  return padding > 2 ? null : toDecodedLength(characterCount);
}

/** Decodes spooled base64 text in chunks of complete groups of four characters. */
async function* decodeBase64Chunks(content: SpooledText): AsyncGenerator<Buffer> {
  let remainder = '';
  for await (const chunk of content.chunks()) {
    const base64Text = remainder + toBase64Text(chunk);
    const completeLength = base64Text.length - (base64Text.length % 4);
    remainder = base64Text.slice(completeLength);
    if (completeLength > 0) yield Buffer.from(base64Text.slice(0, completeLength), 'base64');
  }
  if (remainder !== '') yield Buffer.from(remainder, 'base64');
}

/** Returns the text of a chunk without line breaks. */
function toBase64Text(chunk: Buffer): string {
  const text = chunk.toString('latin1');
  return /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
}
