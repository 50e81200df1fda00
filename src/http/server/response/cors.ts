import { type Incoming, single } from '#http/request/incoming.ts';
import { isReportPath } from '#rate-limits/error-report-paths.ts';
import type { Outgoing } from './response.ts';

/**
 * CORS for `/api/*` and the two OAuth calls that browsers make (contract/conventions.md §4), and for where they report errors
 * from any page (contract/monitoring.md §10).
 */

const EXPOSED = [
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

const TO_REPORTERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'x-sentry-error, x-sentry-rate-limits, retry-after',
};
const REPORTING = {
  Allow: 'POST, OPTIONS',
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': 'content-type, content-encoding, x-sentry-auth, authorization, sentry-trace, baggage',
  'Access-Control-Max-Age': '3600',
};

function applies(request: Incoming): boolean {
  const { path } = request;
  return (
    single(request.headers.origin) !== undefined &&
    (path.startsWith('/api/') || path === '/oauth/token' || path === '/oauth/revoke')
  );
}

export function corsHeaders(request: Incoming): Record<string, string> {
  if (isReportPath(request.path)) return TO_REPORTERS;
  if (!applies(request)) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

/** The answer to a preflight; null for every other request. */
export function preflight(request: Incoming): Outgoing | null {
  if (request.method === 'OPTIONS' && isReportPath(request.path)) return { status: 204, headers: REPORTING };
  const asked = single(request.headers['access-control-request-method']);
  if (request.method !== 'OPTIONS' || asked === undefined || !applies(request)) return null;
  const headers = single(request.headers['access-control-request-headers']) ?? '*';
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'Access-Control-Allow-Headers': headers,
      'Access-Control-Max-Age': '7200',
    },
  };
}
