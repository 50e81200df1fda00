import type { AccessCall } from '#http/access/access.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';

/** For `record`: whether the thing is to be deleted only as it was when the caller read it. */
export const unchangedOnly = {
  name: 'unchanged',
  load: ({ request }: AccessCall) => ({ only: request.headers['if-unmodified-since'] !== undefined }),
  notFound: nestedNotFound,
} as const;
