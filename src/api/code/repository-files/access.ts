import type { LineRange } from '#git/commits/blame.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { pathText, refName } from '#http/parameters/texts.ts';
import { notBlank } from '#http/parameters/types.ts';
import { blobTooLargeResponse, checkLargeBlobLimit } from '#rate-limits/application-limit.ts';
import type { VersionedRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { locateFile } from './get.ts';

/** The parameter type of `file_path`. Requests of every HTTP method check it (contract/repository.md §1). */
export const filePathType: ParameterType<string> = {
  ...pathText,
  read(raw, name, problems) {
    const path = pathText.read(String(raw), name, problems);
    return path === null || isSafePath(path) ? path : problems.add(`${name} should be a valid file path`);
  },
};

/** Returns false for paths that leave the repository: `..` segments (by `/` or `\`), absolute paths, and line breaks. */
function isSafePath(path: string): boolean {
  if (path.startsWith('/') || path.includes('\n') || path === '.') return false;
  return !path.split(/[/\\]/).includes('..');
}

/** The parameters that name a file (contract/repository.md §1). */
interface FileParams {
  readonly file_path: string;
  readonly ref: string;
}

const COMMIT_NOT_FOUND = [404, { message: '404 Commit Not Found' }] as const;
const FILE_NOT_FOUND = [404, { message: '404 File Not Found' }] as const;
const INVALID_RANGE = [400, { message: 'range[start] must be less than or equal to range[end]' }] as const;
const REF_DESCRIPTION = 'Branch, tag or commit; `HEAD` is the default branch.';
const TOO_LARGE = blobTooLargeResponse('/projects/:id/repository/files/:file_path/raw');

const fileResource = {
  name: 'file',
  params: { file_path: required(filePathType), ref: describe(required(notBlank(refName)), REF_DESCRIPTION) },
  async load({ services, params }: AccessCall<FileParams>, { project }: { readonly project: VersionedRepository }) {
    const file = await locateFile(services.git, project, params);
    if (!isFailure(file)) return file;
    throw file.code === 'commitNotFound' ? new HttpError(...COMMIT_NOT_FOUND) : new HttpError(...FILE_NOT_FOUND);
  },
  notFound: () => new HttpError(...FILE_NOT_FOUND),
} as const;

const readableProjectAccess = inProjectAllowingAnonymous('read_code').withErrors({
  commitMissing: COMMIT_NOT_FOUND,
  fileMissing: FILE_NOT_FOUND,
});

/** Access to a file at a ref. */
export const fileAccess = readableProjectAccess.resource(fileResource);

/** Access to the raw content of a file. `ref` defaults to HEAD. */
export const rawFileAccess = readableProjectAccess.resource({
  ...fileResource,
  params: { ...fileResource.params, ref: describe(optional(notBlank(refName), 'HEAD'), REF_DESCRIPTION) },
});

/** Access to a file whose content is returned as JSON. Large files are rate-limited. */
export const fileContentAccess = fileAccess
  .withErrors({ blobTooLarge: TOO_LARGE })
  .require(async ({ services }, { project, file }) => {
    if ((await checkLargeBlobLimit(services.database, project.id, file.size)) === null) return;
    throw new HttpError(...TOO_LARGE);
  });

/** Access to a file with an optional line range, whose start must not be after its end. */
export const blameAccess = readableProjectAccess
  .withErrors({ rangeReversed: INVALID_RANGE })
  .require(({ params }) => {
    const { range } = params as { readonly range?: LineRange | null };
    if (range && range.start > range.end) throw new HttpError(...INVALID_RANGE);
  })
  .resource(fileResource);
