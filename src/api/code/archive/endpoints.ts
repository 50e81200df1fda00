import { inPublicProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { pathText, refName, string } from '#http/parameters/texts.ts';
import { boolean, commaArray } from '#http/parameters/types.ts';
import { download } from './download.ts';

const params = {
  sha: optional(refName),
  path: optional(pathText),
  include_lfs_blobs: optional(boolean, true),
  // Each is an argument of a process, which takes so many bytes and no more.
  exclude_paths: optional(commaArray(pathText, 100), []),
};

const refuses = {
  tooMany: [
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    { 'Retry-After': '{seconds}' },
  ],
  unknown: [404, '404 File Not Found'],
  noProgram: [503, '503 Service Unavailable - bzip2 is not installed on this server'],
} as const;

export const readArchive = endpoint({
  get: '/projects/:id/repository/archive',
  summary: 'Download a repository as a tar.gz',
  access: inPublicProject('read_code'),
  params,
  errors: refuses,
  response: stream,
  handle: (call, services) => download(services, call, ''),
});

export const readArchiveAs = endpoint({
  get: '/projects/:id/repository/archive:format(^\\.(?:tar\\.gz|tgz|gz|tar\\.bz2|tbz|tbz2|tb2|bz2|tar|zip)$)',
  summary: 'Download a repository in the format that the suffix names',
  access: inPublicProject('read_code'),
  params: { ...params, format: required(string) },
  errors: refuses,
  response: stream,
  handle: (call, services) => download(services, call, call.params.format),
});
