import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { openBlob, storeBlob } from '#blobs/store.ts';
import { writeBlob } from '#git/commits/commit.ts';
import { isValidBranchName } from '#git/refs/refs.ts';
import { bodyTooLarge, invalidParameters } from '#http/errors/http-error.ts';
import { isFilePart, mergeParameters, type RawParameters } from '#http/parameters/brackets.ts';
import { describe, optional, type Parameters, readParameters } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { refName } from '#http/parameters/texts.ts';
import { absentIfBlank } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import { receiveFile } from '#http/request/file-upload.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { getRepository } from '#repositories/repository.ts';
import { findOrCreateWiki } from '#repositories/wikis/find-or-create.ts';
import { type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import { truncateToBytes } from '#text/trim.ts';
import { type WikiWriter, type WriteFailure, writeToWiki } from './commit-page.ts';
import type { AttachmentInfo } from './entities.ts';

// Uploads files for pages, one commit per file (contract/operations.md §2.2 "attachments").

/** Parameters sent with the file, in the query or in the body. */
export const attachmentFields = {
  branch: describe(optional(absentIfBlank(refName)), 'By default, the default branch of the wiki.'),
} satisfies Parameters;

const MAX_ATTACHMENT_BYTES = 10 * MEBIBYTE;

interface Upload {
  readonly request: IncomingRequest;
  /** Parameters of the query. */
  readonly rawParams: RawParameters;
}

/** Receives the file, stores it as a Git blob and commits it under a random path. */
export async function uploadAttachment(
  services: Pick<Services, 'database' | 'blobs' | 'git' | 'runUnitOfWork'>,
  writer: WikiWriter,
  { request, rawParams }: Upload,
): Promise<AttachmentInfo | Failure<WriteFailure | 'fileMissing' | 'fileInvalid'>> {
  const receivedUpload = await receiveFile(request, 'file', async (file, { filename }) => {
    const storedBlob = await storeBlob(services.blobs, file, { maxBytes: MAX_ATTACHMENT_BYTES });
    if (!('sha256' in storedBlob)) throw bodyTooLarge();
    return { filename, storedBlob };
  });
  const allParams = mergeParameters(rawParams, receivedUpload.fields);
  if (receivedUpload.result === undefined) return toMissingFileFailure(allParams);
  const { branch } = readFields(allParams);
  if (branch != null && !isValidBranchName(branch)) return invalid({ branch: ['is invalid'] });
  const { filename, storedBlob } = receivedUpload.result;
  const wiki = await findOrCreateWiki(services, writer.caller, writer.parent);
  if (isFailure(wiki)) return wiki;
  const openedBlob = await openBlob(services.blobs, storedBlob.sha256);
  const content = { size: storedBlob.size, chunks: openedBlob!.stream as Readable as AsyncIterable<Buffer> };
  const blobId = await writeBlob(services.git, getRepository(services.git, wiki), content);
  const file_name = sanitizeFileName(filename);
  const file_path = `uploads/${randomBytes(16).toString('hex')}/${file_name}`;
  const writeResult = await writeToWiki<string | undefined, never>(services, writer, async (snapshot) => ({
    changes: [{ action: 'create' as const, path: file_path, content: { id: blobId } }],
    message: `Upload attachment ${file_name}`,
    ...(branch != null && { branch }),
    result: branch ?? snapshot?.wiki.default_branch,
  }));
  if (isFailure(writeResult)) return writeResult;
  return { file_name, file_path, branch: writeResult.result ?? writeResult.wiki.default_branch };
}

/** Returns `fileInvalid` if the parameter `file` is present but is not a file, otherwise `fileMissing`. */
function toMissingFileFailure({ file }: RawParameters): Failure<'fileMissing' | 'fileInvalid'> {
  return fail(file === undefined || isFilePart(file) ? 'fileMissing' : 'fileInvalid');
}

function readFields(rawParams: RawParameters) {
  const problems = new Problems();
  const values = readParameters(attachmentFields, rawParams, problems, []);
  if (problems.any) throw invalidParameters(problems.texts, problems.fields);
  return values;
}

/** Maximum length of a file name, in characters and in bytes. */
const MAX_NAME_LENGTH = 255;

/** Returns a file name without directories and without characters that browsers or shells interpret. */
function sanitizeFileName(fileName: string): string {
  const lastSegment = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1);
  const name = lastSegment.replace(/[^\p{L}\p{N}.\-+_]/gu, '_');
  const safeName = name === '' || name === '.' || name === '..' ? 'file' : name;
  if ([...safeName].length <= MAX_NAME_LENGTH && Buffer.byteLength(safeName) <= MAX_NAME_LENGTH) return safeName;
  const dotIndex = safeName.lastIndexOf('.');
  // A longer suffix is not an extension and may be cut.
  const extension = dotIndex <= 0 || safeName.length - dotIndex > 50 ? '' : safeName.slice(dotIndex);
  return (
    truncateToBytes(
      safeName.slice(0, safeName.length - extension.length),
      MAX_NAME_LENGTH - Buffer.byteLength(extension),
    ) + extension
  );
}
