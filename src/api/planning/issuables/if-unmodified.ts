import type { AccessCall } from '#http/access/access.ts';
import { genericNotFound } from '#http/errors/http-error.ts';

/** Resource: `isRequested` is true if the request has the header `If-Unmodified-Since`, so that only an unchanged row is deleted. */
export const ifUnmodifiedResource = {
  name: 'ifUnmodified',
  load: ({ request }: AccessCall) => ({ isRequested: request.headers['if-unmodified-since'] !== undefined }),
  notFound: genericNotFound,
} as const;
