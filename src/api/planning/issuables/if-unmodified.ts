import type { AccessCall } from '#http/access/access.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';

/** For `record`: whether the thing is to be deleted only as it was when the caller read it. */
export const unchangedOnly = {
  name: 'unchanged',
  find: ({ request }: AccessCall) => ({ only: request.headers['if-unmodified-since'] !== undefined }),
  missing: nestedNotFound,
} as const;
