import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream, streamWith } from '#http/endpoint/responses.ts';
import { routeNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { pathText, string } from '#http/parameters/texts.ts';
import { archiveParams, parseArchiveFile, streamArchiveDownload } from './archive.ts';

const ARCHIVE_ERRORS = {
  tooMany: [
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    { 'Retry-After': '{seconds}' },
  ],
  formatUnsupported: [406, { error: "The requested format '{format}' is not supported." }],
  notFound: [404, '404 File Not Found'],
  tooLarge: [422, 'The archive would be too large, or a path in it is longer than 4096 bytes'],
  compressorMissing: [503, '503 Service Unavailable - bzip2 is not installed on this server'],
} as const;

export const downloadArchive = endpoint({
  get: '/projects/:id/repository/archive',
  summary: 'Download a repository archive as tar.gz',
  description:
    'Returns an archive of the files of a commit, with the project path, the ref and the commit id as its top ' +
    'folder. Equal requests get equal bytes. If the feature flag `archive_rate_limit` is on, each caller gets five ' +
    'archives of a project in a minute.',
  access: inProjectAllowingAnonymous('read_code'),
  params: archiveParams,
  errors: ARCHIVE_ERRORS,
  response: stream,
  handle: (call, services) => streamArchiveDownload(services, call, { suffix: '', namesCommit: true }),
});

export const downloadArchiveAs = endpoint({
  get: '/projects/:id/repository/archive:suffix(^\\.(?:tar\\.gz|tgz|gz|tar\\.bz2|tbz|tbz2|tb2|bz2|tar|zip)$)',
  summary: 'Download a repository archive in a format',
  description:
    'Returns an archive of the files of a commit in the format of the suffix, for example `archive.zip`. Otherwise ' +
    'it is the same as `GET /projects/:id/repository/archive`.',
  access: inProjectAllowingAnonymous('read_code'),
  params: { ...archiveParams, suffix: describe(required(string), 'Suffix that selects the format, such as `.zip`.') },
  errors: ARCHIVE_ERRORS,
  response: streamWith({ mediaTypes: ['application/octet-stream', 'application/zip'] }),
  handle: (call, services) => streamArchiveDownload(services, call, { suffix: call.params.suffix, namesCommit: true }),
});

export const downloadArchiveFile = endpoint({
  get: '/*id/-/archive/*ref_and_file',
  summary: 'Download a repository archive by its address',
  description:
    'Returns the archive at an address of a project, `/a/p/-/archive/v1/p-v1.zip`, also with a session. The ref is all ' +
    'before the last slash; the suffix selects the format. Name and top folder contain the commit id, unless the name ' +
    'of the file is `<project>-<ref>`.',
  access: inProjectAllowingAnonymous('read_code'),
  outsideApi: true,
  params: {
    ref_and_file: describe(required(pathText), 'Branch, tag or commit, and the name of the file.'),
    path: describe(optional(pathText), 'Folder or file; absent: the whole tree.'),
  },
  errors: ARCHIVE_ERRORS,
  response: streamWith({ mediaTypes: ['application/octet-stream', 'application/zip'] }),
  handle(call, services) {
    const { project, caller, request, params } = call;
    const file = parseArchiveFile(params.ref_and_file);
    if (file === null) throw routeNotFound();
    const { ref, name, suffix } = file;
    const archive = { format: undefined, sha: ref, path: params.path, include_lfs_blobs: true, exclude_paths: [] };
    const namesCommit = name !== `${project.path}-${ref}`.replaceAll('/', '-');
    return streamArchiveDownload(services, { project, caller, request, params: archive }, { suffix, namesCommit });
  },
});
