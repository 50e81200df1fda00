import type { ApplicationSettings } from '#settings/settings.ts';
import { isReportPath } from './error-report-paths.ts';

/** The throttles of contract/conventions.md §8: which of them counts a request, and what it says of it. */

export interface Throttle {
  readonly name: string;
  /** Requests in one period. */
  readonly limit: number;
  readonly periodSeconds: number;
}

type Kind = 'api' | 'files_api';

/** Is any of them on? Otherwise nobody has to be known before the request is read. */
export function anyThrottle(settings: ApplicationSettings): boolean {
  return (
    settings.throttle_unauthenticated_api_enabled ||
    settings.throttle_authenticated_api_enabled ||
    settings.throttle_unauthenticated_files_api_enabled ||
    settings.throttle_authenticated_files_api_enabled
  );
}

/** The throttle for this path: that of the files API, where it is on, in place of the general one. */
export function throttleFor(settings: ApplicationSettings, path: string, signedIn: boolean): Throttle | null {
  const who = signedIn ? 'authenticated' : 'unauthenticated';
  const files = isFilesPath(path) ? throttle(settings, who, 'files_api') : null;
  return files ?? throttle(settings, who, 'api');
}

/** `/api/*` and `/oauth/*`; git, runners and those who report errors have limits of their own. */
export function isThrottled(method: string, path: string): boolean {
  const read = plain(path);
  return /^\/(api|oauth)\//.test(read) && !isLimitedElsewhere(method, read);
}

/** Whose clients are many behind one address, and prove themselves by tokens that are no credentials of the API. */
const ELSEWHERE: readonly RegExp[] = [
  /^\w+ api\/v4\/jobs\/./,
  /^(?:POST|DELETE) api\/v4\/runners$/,
  /^POST api\/v4\/runners\/(?:verify|reset_authentication_token)$/,
  /^DELETE api\/v4\/runners\/managers$/,
  /^GET api\/v4\/runners\/router\/discovery$/,
];

function isLimitedElsewhere(method: string, path: string): boolean {
  const plainPath = path.split('/').filter(Boolean).join('/');
  return isReportPath(`/${plainPath}`) || ELSEWHERE.some((calls) => calls.test(`${method} ${plainPath}`));
}

function isFilesPath(path: string): boolean {
  return /^\/api\/v4\/+projects\/+[^/]+\/+repository\/+files\//.test(plain(path));
}

/** `POST` to an alert endpoint, counted by its path (contract/monitoring.md §1 step 6). */
export function isAlertPath(method: string, path: string): boolean {
  if (method !== 'POST') return false;
  return /\/alerts\/notify(?:\.json|\/[^/]+\/[^/]+)?$/.test(plain(path));
}

/** The throttle of alert endpoints, where it is on. */
export function alertThrottle(settings: ApplicationSettings): Throttle | null {
  const name = 'throttle_incident_management_notification';
  if (!settings[`${name}_enabled`]) return null;
  return { name, limit: settings[`${name}_per_period`], periodSeconds: settings[`${name}_period_in_seconds`] };
}

/** Routes are matched decoded: `/%61pi/v4` is the same place. */
function plain(path: string): string {
  return path.includes('%') ? path.replace(/%(3\d|[46][1-9a-f]|[57][0-9a])/gi, decodeURIComponent) : path;
}

function throttle(
  settings: ApplicationSettings,
  who: 'authenticated' | 'unauthenticated',
  kind: Kind,
): Throttle | null {
  const name = `throttle_${who}_${kind}` as const;
  if (!settings[`${name}_enabled`]) return null;
  const limit = settings[`${name}_requests_per_period`];
  return { name, limit, periodSeconds: settings[`${name}_period_in_seconds`] };
}

/** What every answer says while a throttle applies. `endsAt` is in unix seconds. */
export function throttleHeaders(
  { name, limit, periodSeconds }: Throttle,
  observed: number,
  endsAt: number,
): Record<string, string> {
  return {
    'RateLimit-Name': name,
    'RateLimit-Limit': String(Math.ceil((limit * 60) / periodSeconds)),
    'RateLimit-Observed': String(observed),
    'RateLimit-Remaining': String(Math.max(0, limit - observed)),
    'RateLimit-Reset': String(endsAt),
  };
}
