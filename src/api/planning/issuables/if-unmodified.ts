import type { AccessCall } from '#http/access/access.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';

/** Resource for `.resource()`: whether the request has the header `If-Unmodified-Since`. */
export const unmodifiedPrecondition = {
  name: 'unchanged',
  load: ({ request }: AccessCall) => ({ only: request.headers['if-unmodified-since'] !== undefined }),
  notFound: nestedNotFound,
} as const;
