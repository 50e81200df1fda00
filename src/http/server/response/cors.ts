import { firstHeader, type IncomingRequest } from '#http/request/incoming.ts';
import { isReportPath } from '#rate-limits/throttles.ts';
import { collapseSlashes } from '#text/trim.ts';
import type { OutgoingResponse } from './response.ts';

/**
 * CORS for `/api/*` and the two OAuth endpoints that browsers call (contract/conventions.md §4), and for the error reports that
 * browsers send from any page (contract/monitoring.md §10).
 */

const EXPOSED_HEADERS = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
  'X-Next-Cursor',
  'X-Prev-Cursor',
  'X-Request-Id',
  'ETag',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Observed',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  ...[
    'Blob-Id',
    'Commit-Id',
    'Content-Sha256',
    'Encoding',
    'Execute-Filemode',
    'File-Name',
    'File-Path',
    'Last-Commit-Id',
    'Ref',
    'Size',
  ].flatMap((name) => [`X-Service-${name}`, `X-Gitlab-${name}`]),
].join(', ');

/** Headers of the responses to error reports, as Sentry clients expect them. */
const REPORT_CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
};
const REPORT_PREFLIGHT_HEADERS = {
  Allow: 'POST, OPTIONS',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'content-type, content-encoding, x-sentry-auth, authorization, sentry-trace, baggage',
  'Access-Control-Max-Age': '3600',
};

function isCorsRequest(request: IncomingRequest): boolean {
  const path = collapseSlashes(request.path);
  return (
    firstHeader(request.headers.origin) !== undefined &&
    (path.startsWith('/api/') || path === '/oauth/token' || path === '/oauth/revoke')
  );
}

/** Returns the CORS headers of a response; none if the request is not subject to CORS. */
export function getCorsHeaders(request: IncomingRequest): Record<string, string> {
  if (isReportPath(request.path)) return REPORT_CORS_HEADERS;
  if (!isCorsRequest(request)) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
}

/** Returns the response to a CORS preflight, or null for other requests. */
export function createPreflightResponse(request: IncomingRequest): OutgoingResponse | null {
  if (request.method === 'OPTIONS' && isReportPath(request.path))
    return { status: 204, headers: REPORT_PREFLIGHT_HEADERS };
  const requestedMethod = firstHeader(request.headers['access-control-request-method']);
  if (request.method !== 'OPTIONS' || requestedMethod === undefined || !isCorsRequest(request)) return null;
  const requestedHeaders = firstHeader(request.headers['access-control-request-headers']) ?? '*';
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': requestedHeaders,
      'Access-Control-Max-Age': '7200',
    },
  };
}
