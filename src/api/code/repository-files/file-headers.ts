import type { StreamReply } from '#http/endpoint/responses.ts';
import type { FileAtRevision } from './get.ts';

/** The names of the ten headers, without their prefixes. */
const NAMES = [
  'Blob-Id',
  'Commit-Id',
  'Content-Sha256',
  'Encoding',
  'Execute-Filemode',
  'File-Name',
  'File-Path',
  'Last-Commit-Id',
  'Ref',
  'Size',
] as const;

export const GITLAB_FILE_HEADER_NAMES = NAMES.map((name) => `X-Gitlab-${name}`);

/**
 * Returns the ten headers of a file, each with the prefix of the specification and with `X-Gitlab-`, which clients read
 * (contract/repository.md §1 HEAD).
 */
export function createFileHeaders(file: FileAtRevision): Record<string, string> {
  const values: Readonly<Record<(typeof NAMES)[number], string>> = {
    'Blob-Id': file.blobId,
    'Commit-Id': file.commitId,
    'Content-Sha256': file.sha256,
    Encoding: 'base64',
    'Execute-Filemode': String(file.isExecutable),
    'File-Name': encodeHeaderText(file.name),
    'File-Path': encodeHeaderText(file.path),
    'Last-Commit-Id': file.lastCommitId,
    Ref: encodeHeaderText(file.ref),
    Size: String(file.size),
  };
  const headers: Record<string, string> = {};
  for (const name of NAMES) {
    headers[`X-Service-${name}`] = values[name];
    headers[`X-Gitlab-${name}`] = values[name];
  }
  return headers;
}

/**
 * The headers of the JSON response to GET. Content-Length and ETag are omitted, since they would require reading the
 * content.
 */
const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=0, private, must-revalidate' };

/** Returns the headers of a file without its content. */
export function createFileHeadReply(file: FileAtRevision): StreamReply {
  return { headers: { ...createFileHeaders(file), ...JSON_HEADERS } };
}

/** Encodes a text for a header: UTF-8 bytes as one character each, control characters as escapes. */
function encodeHeaderText(text: string): string {
  return Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[\u0000-\u001f\u007f]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
