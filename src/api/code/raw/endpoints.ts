import type { Git } from '#git/git.ts';
import { HEADS, TAGS } from '#git/ref-names.ts';
import { resolveRef } from '#git/refs/refs.ts';
import { resolveRevisionAtVersion } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { pathText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { formatContentDisposition, NO_STORE_HEADERS, peekStart } from '#repositories/raw-content.ts';
import { getRefVersion, getRepository, type VersionedRepository } from '#repositories/repository.ts';
import { isFailure } from '#runtime/failure.ts';
import { locateContent, openFileContent, openLfsFile } from '../repository-files/index.ts';
import { BROWSER_MEDIA_TYPES, detectMediaType } from './media-types.ts';

const fileResource = {
  name: 'file',
  params: {
    ref_path: describe(required(pathText), 'Branch, tag or commit, and the path of a file in it: `main/src/main.ts`.'),
  },
  async load(
    { services: { git }, params }: AccessCall<{ readonly ref_path: string }>,
    { project }: { readonly project: VersionedRepository },
  ) {
    const refAndPath = await splitRefPath(git, project, params.ref_path);
    if (refAndPath === null) return null;
    return locateContent(git, project, { ref: refAndPath.ref, file_path: refAndPath.path });
  },
  notFound: genericNotFound,
} as const;

/** No script in a file can use the session of the reader, even if the browser executes the file. */
const SANDBOX_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

export const getFileForBrowser = endpoint({
  get: '/*id/-/raw/*ref_path',
  summary: 'Get a file for browsers',
  description:
    'Returns the bytes of a file, also with a session: images with their media type, everything else as plain text. ' +
    'For a file in LFS, these are the bytes of the object. The ref is the first segment after `raw/`, or else the ' +
    'longest branch or tag with which the rest of the address begins.',
  access: inProjectAllowingAnonymous('read_code').resource(fileResource),
  outsideApi: true,
  params: {
    inline: describe(optional(boolean, true), '`false` makes the file an attachment, which browsers store.'),
  },
  errors: { lfsMissing: [404, '404 Not Found'] },
  response: streamWith({ mediaTypes: BROWSER_MEDIA_TYPES }),
  async handle({ project, file, params, request }, services) {
    const object = await openLfsFile(services, project, file);
    if (isFailure(object)) return object;
    const { name } = file;
    const isAttachment = !params.inline;
    if (object !== null) {
      const { stream: body, size } = object;
      return createReply({ head: await peekStart(body, size), body, size, name, isAttachment });
    }
    const content = await openFileContent(services.git, project, file, request.client);
    return createReply({ ...content, size: file.size, name, isAttachment });
  },
});

interface BrowserFile {
  /** The first bytes, which determine the media type. */
  readonly head: Uint8Array;
  readonly body: NonNullable<StreamReply['body']>;
  readonly size: number;
  readonly name: string;
  readonly isAttachment: boolean;
}

function createReply({ head, body, size, name, isAttachment }: BrowserFile): StreamReply {
  const headers = {
    ...NO_STORE_HEADERS,
    'Content-Type': detectMediaType(head, size),
    'Content-Length': String(size),
    'Content-Security-Policy': SANDBOX_POLICY,
    'X-Content-Type-Options': 'nosniff',
    ...(isAttachment ? { 'Content-Disposition': formatContentDisposition('attachment', name) } : {}),
  };
  return { headers, body };
}

/** A revision, and a path in its tree. */
interface RefAndPath {
  readonly ref: string;
  readonly path: string;
}

/** Maximum number of segments in the name of a ref; each is looked up. */
const MAX_REF_SEGMENTS = 32;

/**
 * Splits the end of an address, such as `fix/1/src/main.ts`, into ref and path. The ref is the first segment or, if that is
 * not a revision, the longest prefix that is a branch or tag (contract/web.md §2). Returns null if there is none.
 */
async function splitRefPath(git: Git, project: VersionedRepository, refPath: string): Promise<RefAndPath | null> {
  const repository = getRepository(git, project);
  const segments = refPath.split('/');
  const toPath = (refSegments: number) => segments.slice(refSegments).join('/');
  const firstSegment = segments[0]!;
  if ((await resolveRevisionAtVersion(git, repository, firstSegment, getRefVersion(project))) !== null)
    return { ref: firstSegment, path: toPath(1) };
  for (let count = Math.min(segments.length - 1, MAX_REF_SEGMENTS); count > 1; count -= 1) {
    const ref = await findTagOrBranch(repository, segments.slice(0, count).join('/'));
    if (ref !== null) return { ref, path: toPath(count) };
  }
  return null;
}

/** Returns the full name of the tag or else the branch, or null. */
async function findTagOrBranch(repository: Repository, name: string): Promise<string | null> {
  for (const ref of [TAGS + name, HEADS + name]) if ((await resolveRef(repository, ref)) !== null) return ref;
  return null;
}
