import type { StreamReply } from '#http/endpoint/responses.ts';
import type { LocatedFile } from './get.ts';

/** The ten headers of a file, each twice: the SPEC's names, and those that clients read (contract/repository.md §1 HEAD). */
export function fileHeaders(file: LocatedFile): Record<string, string> {
  const values: Readonly<Record<string, string>> = {
    'Blob-Id': file.blobId,
    'Commit-Id': file.commitId,
    'Content-Sha256': file.sha256,
    Encoding: 'base64',
    'Execute-Filemode': String(file.executable),
    'File-Name': headerText(file.name),
    'File-Path': headerText(file.path),
    'Last-Commit-Id': file.lastCommitId,
    Ref: headerText(file.ref),
    Size: String(file.size),
  };
  const headers: Record<string, string> = {};
  for (const name in values) {
    headers[`X-Service-${name}`] = values[name] as string;
    headers[`X-Gitlab-${name}`] = values[name] as string;
  }
  return headers;
}

/** What the JSON that GET answers says of itself; nothing is read that its length and its tag would need. */
const LIKE_GET = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=0, private, must-revalidate' };

/** What is known of the file, without its content. */
export function fileHead(file: LocatedFile): StreamReply {
  return { headers: { ...fileHeaders(file), ...LIKE_GET } };
}

/** The UTF-8 bytes of a text as a header carries them (one character a byte); control characters as escapes. */
function headerText(text: string): string {
  return Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[\u0000-\u001f\u007f]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
