import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream, streamWith } from '#http/endpoint/responses.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { pathText, refName, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated } from '#http/parameters/types.ts';
import { streamArchiveDownload } from './archive.ts';

const params = {
  /** Only the suffix of the path selects the format of the archive; this is the format of other responses. */
  format: optional(string),
  sha: optional(refName),
  path: optional(pathText),
  include_lfs_blobs: optional(boolean, true),
  // Each path is an argument of the git process, and the total size of arguments is limited.
  exclude_paths: optional(commaSeparated(pathText, 100), []),
};

const errors = {
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
  access: inProjectAllowingAnonymous('read_code'),
  params,
  errors,
  response: stream,
  handle: (call, services) => streamArchiveDownload(services, call, ''),
});

export const downloadArchiveAs = endpoint({
  get: '/projects/:id/repository/archive:suffix(^\\.(?:tar\\.gz|tgz|gz|tar\\.bz2|tbz|tbz2|tb2|bz2|tar|zip)$)',
  summary: 'Download a repository archive in a format',
  access: inProjectAllowingAnonymous('read_code'),
  params: { ...params, suffix: required(string) },
  errors,
  response: streamWith({ mediaTypes: ['application/octet-stream', 'application/zip'] }),
  handle: (call, services) => streamArchiveDownload(services, call, call.params.suffix),
});
