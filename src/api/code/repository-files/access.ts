import type { LineRange } from '#git/commits/blame.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inPublicProject } from '#http/access/project-access.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { refName } from '#http/parameters/texts.ts';
import { notBlank } from '#http/parameters/types.ts';
import { blobTooLarge, largeBlobLimit } from '#rate-limits/large-blobs.ts';
import type { Versioned } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { locateFile } from './get.ts';
import { filePath } from './parameters.ts';

/** Who may read a file, which the path and `ref` name (contract/repository.md §1). */

interface Named {
  readonly file_path: string;
  readonly ref: string;
}

const COMMIT_MISSING = [404, { message: '404 Commit Not Found' }] as const;
const FILE_MISSING = [404, { message: '404 File Not Found' }] as const;
const TURNED = [400, { message: 'range[start] must be less than or equal to range[end]' }] as const;
const TOO_LARGE = blobTooLarge('/projects/:id/repository/files/:file_path/raw');

const namedFile = {
  name: 'file',
  params: { file_path: required(filePath), ref: required(notBlank(refName)) },
  async load({ services, params }: AccessCall<Named>, { project }: { readonly project: Versioned }) {
    const file = await locateFile(services.git, project, params);
    if (!isFailure(file)) return file;
    throw file.code === 'commit' ? new HttpError(...COMMIT_MISSING) : new HttpError(...FILE_MISSING);
  },
  notFound: () => new HttpError(...FILE_MISSING),
} as const;

const readable = inPublicProject('read_code').withErrors({ commitMissing: COMMIT_MISSING, fileMissing: FILE_MISSING });

export const oneFile = readable.resource(namedFile);

/** Where nothing is said of the ref it is HEAD. */
export const fileSomewhere = readable.resource({
  ...namedFile,
  params: { ...namedFile.params, ref: optional(notBlank(refName), 'HEAD') },
});

/** A file whose content becomes JSON: of large ones there are few. */
export const smallOrRareFile = oneFile
  .withErrors({ blobTooLarge: TOO_LARGE })
  .require(async ({ services }, { project, file }) => {
    if ((await largeBlobLimit(services.database, project.id, file.size)) === null) return;
    throw new HttpError(...TOO_LARGE);
  });

/** A file and some of its lines, which are asked for in their order. */
export const linesOfFile = readable
  .withErrors({ rangeTurned: TURNED })
  .require(({ params }) => {
    const { range } = params as { readonly range?: LineRange | null };
    if (range && range.start > range.end) {
      throw new HttpError(...TURNED);
    }
  })
  .resource(namedFile);
