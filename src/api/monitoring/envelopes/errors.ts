import type { ErrorEntry } from '#http/errors/error-table.ts';
import { HttpError } from '#http/errors/http-error.ts';

/** What SDKs hear that are refused: in the body, and in a header for those that don't read it (contract/monitoring.md §10). */

const said = (status: number, detail: string, headers: Readonly<Record<string, string>> = {}): ErrorEntry => [
  status,
  { detail, causes: [] },
  { 'X-Sentry-Error': detail, ...headers },
];

/** Of whom nobody knows who it is, and of whom it is known that he may not: all that may be wrong sounds alike. */
export const SENDER_REFUSALS = {
  unauthenticated: said(401, 'missing authorization information'),
  rejected: said(403, 'event submission rejected: unknown project or client key'),
} as const;

export const REFUSALS = {
  ...SENDER_REFUSALS,
  invalidEnvelope: said(400, 'invalid event envelope'),
  invalidEvent: said(400, 'invalid event payload'),
  tooLarge: said(413, 'envelope exceeded size limits'),
  unsupportedEncoding: said(415, 'unsupported content encoding'),
  rateLimited: said(429, 'rate limited', {
    'Retry-After': '{seconds}',
    'X-Sentry-Rate-Limits': '{seconds}:default;error:project',
  }),
} as const;

export function senderFailure(code: keyof typeof SENDER_REFUSALS): HttpError {
  const [status, body, headers] = SENDER_REFUSALS[code];
  return new HttpError(status, body, headers);
}
