import type { ApplicationSettings } from '#settings/settings.ts';
import { collapseSlashes } from '#text/trim.ts';

// Throttles (contract/conventions.md §8): which one counts a request, and its response headers.

export interface Throttle {
  readonly name: string;
  readonly limit: number;
  readonly periodSeconds: number;
}

type ThrottleKind = 'api' | 'files_api';

/** Returns whether any throttle is enabled. If none is, authentication can wait until the request has been parsed. */
export function isAnyThrottleEnabled(settings: ApplicationSettings): boolean {
  return (
    settings.throttle_unauthenticated_api_enabled ||
    settings.throttle_authenticated_api_enabled ||
    settings.throttle_unauthenticated_files_api_enabled ||
    settings.throttle_authenticated_files_api_enabled
  );
}

/** Returns the throttle for this path: that of the files API if it applies and is enabled, else the general one. */
export function findThrottle(settings: ApplicationSettings, path: string, isSignedIn: boolean): Throttle | null {
  const callerKind = isSignedIn ? 'authenticated' : 'unauthenticated';
  const isFilesPath = /^\/api\/v4\/projects\/[^/]+\/repository\/files\//.test(normalizePath(path));
  const filesThrottle = isFilesPath ? getThrottle(settings, callerKind, 'files_api') : null;
  return filesThrottle ?? getThrottle(settings, callerKind, 'api');
}

/**
 * Returns whether throttles apply to the request: to `/api/*` and `/oauth/*`. Git, runners and error reports have their
 * own limits.
 */
export function isThrottled(method: string, path: string): boolean {
  const normalizedPath = normalizePath(path);
  if (!/^\/(api|oauth)\//.test(normalizedPath) || isReportPath(normalizedPath)) return false;
  return !EXEMPT_ROUTES.some((route) => route.test(`${method} ${normalizedPath}`));
}

/** Exempt routes: many runners share one address and use job or runner tokens, not API tokens. */
const EXEMPT_ROUTES: readonly RegExp[] = [
  /^\w+ \/api\/v4\/jobs\/./,
  /^(?:POST|DELETE) \/api\/v4\/runners$/,
  /^POST \/api\/v4\/runners\/(?:verify|reset_authentication_token)$/,
  /^DELETE \/api\/v4\/runners\/managers$/,
  /^GET \/api\/v4\/runners\/router\/discovery$/,
];

/**
 * Returns whether the request is a `POST` to an alert endpoint, which is counted by path (contract/monitoring.md §1
 * step 6).
 */
export function isAlertPath(method: string, path: string): boolean {
  if (method !== 'POST') return false;
  return /\/alerts\/notify(?:\.json|\/[^/]+\/[^/]+)?$/.test(normalizePath(path));
}

/** Returns the throttle of alert endpoints, or null if it is disabled. */
export function findAlertThrottle(settings: ApplicationSettings): Throttle | null {
  const name = 'throttle_incident_management_notification';
  if (!settings[`${name}_enabled`]) return null;
  return { name, limit: settings[`${name}_per_period`], periodSeconds: settings[`${name}_period_in_seconds`] };
}

/** Converts a path as routes match it: `//%61pi/v4/` is `/api/v4`. */
export function normalizePath(path: string): string {
  // Decodes only digits and letters: other characters, such as an encoded slash, have their own meaning.
  return collapseSlashes(
    path.includes('%') ? path.replace(/%(3\d|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent) : path,
  );
}

function getThrottle(
  settings: ApplicationSettings,
  callerKind: 'authenticated' | 'unauthenticated',
  kind: ThrottleKind,
): Throttle | null {
  const name = `throttle_${callerKind}_${kind}` as const;
  if (!settings[`${name}_enabled`]) return null;
  const limit = settings[`${name}_requests_per_period`];
  return { name, limit, periodSeconds: settings[`${name}_period_in_seconds`] };
}

/** Returns response headers. `observed` is the number of requests in the window, `endsAt` its end in Unix seconds. */
export function createThrottleHeaders(
  { name, limit, periodSeconds }: Throttle,
  observed: number,
  endsAt: number,
): Record<string, string> {
  return {
    'RateLimit-Name': name,
    // Requests per minute, for any period.
    'RateLimit-Limit': String(Math.ceil((limit * 60) / periodSeconds)),
    'RateLimit-Observed': String(observed),
    'RateLimit-Remaining': String(Math.max(0, limit - observed)),
    'RateLimit-Reset': String(endsAt),
  };
}

/** Paths to which SDKs send error reports, by the three forms of a DSN (contract/monitoring.md §10). */
const REPORT_PATH =
  /^\/(?:errortracking\/api\/v1\/projects\/api|api\/v4\/error_tracking\/collector\/api|api(?=\/(?!v\d)))\/[^/]+\/(?:envelope|store)$/;

/** Returns whether requests to this path send error reports or sessions. */
export function isReportPath(path: string): boolean {
  return REPORT_PATH.test(collapseSlashes(path));
}
