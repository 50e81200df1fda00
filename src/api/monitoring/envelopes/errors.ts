import type { ErrorEntry } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';

/** Errors for SDKs: in the body, and in the header `X-Sentry-Error` for SDKs that do not read the body (contract/monitoring.md §10). */

const createErrorEntry = (
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorEntry => [status, { detail, causes: [] }, { 'X-Sentry-Error': detail, ...headers }];

/** Authentication errors. Every wrong key gets the same error, so that callers cannot find out whether a project exists. */
export const SENDER_ERRORS = {
  unauthenticated: createErrorEntry(401, 'missing authorization information'),
  rejected: createErrorEntry(403, 'event submission rejected: unknown project or client key'),
} as const;

/** All errors of the ingestion endpoints. */
export const INGESTION_ERRORS = {
  ...SENDER_ERRORS,
  invalidEnvelope: createErrorEntry(400, 'invalid event envelope'),
  invalidEvent: createErrorEntry(400, 'invalid event payload'),
  tooLarge: createErrorEntry(413, 'envelope exceeded size limits'),
  unsupportedEncoding: createErrorEntry(415, 'unsupported content encoding'),
  rateLimited: createErrorEntry(429, 'rate limited', {
    'Retry-After': '{seconds}',
    'X-Sentry-Rate-Limits': '{seconds}:default;error:project',
  }),
} as const;

/** Creates the exception for an authentication error. */
export function createSenderError(code: keyof typeof SENDER_ERRORS): HttpError {
  const [status, body, headers] = SENDER_ERRORS[code];
  return new HttpError(status, body, headers);
}
