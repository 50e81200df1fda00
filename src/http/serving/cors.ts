import { type Incoming, single } from '../request/incoming.ts';
import type { Outgoing } from './reply.ts';

/** CORS for `/api/*` and the two OAuth calls that browsers make (contract/conventions.md §4). */

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

function applies(request: Incoming): boolean {
  const { path } = request;
  return (
    single(request.headers.origin) !== undefined &&
    (path.startsWith('/api/') || path === '/oauth/token' || path === '/oauth/revoke')
  );
}

export function corsHeaders(request: Incoming): Record<string, string> {
  if (!applies(request)) return {};
  return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': EXPOSED };
}

/** The answer to a preflight; null for every other request. */
export function preflight(request: Incoming): Outgoing | null {
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
