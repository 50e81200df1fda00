import { identify } from '#authentication/credentials.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import {
  createThrottleHeaders,
  findAlertThrottle,
  findThrottle,
  isAlertPath,
  isAnyThrottleEnabled,
  isThrottled,
  normalizePath,
  type Throttle,
} from '#rate-limits/throttles.ts';
import { getRateLimitWindow } from '#rate-limits/window-counters.ts';
import { hashToken } from '#security/tokens.ts';
import { type ApplicationSettings, loadSettings } from '#settings/settings.ts';
import { HttpError } from '../errors/http-error.ts';
import { parseForm } from '../parameters/brackets.ts';
import { getPresentedCredentials } from '../request/credentials.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import type { Services } from '../services.ts';

/** The result of counting a request; `error` is set if it exceeds the limit. */
interface ThrottleResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly error: HttpError | null;
}

/**
 * Counts the request for its user, or for its network if it is anonymous; alerts are counted for their target (stage 2,
 * contract/conventions.md §1, §8). Authentication errors are reported later. Returns null if no throttle applies.
 */
export async function applyThrottle(services: Services, request: IncomingRequest): Promise<ThrottleResult | null> {
  const isAlert = isAlertPath(request.method, request.path);
  if (!isAlert && !isThrottled(request.method, request.path)) return null;
  const settings = await loadSettings(services.database.reader);
  const throttleSubject = isAlert
    ? findTargetThrottle(settings, request.path)
    : await findCallerThrottle(services, request, settings);
  if (throttleSubject === null) return null;
  const { throttle, subject } = throttleSubject;
  const now = services.clock.now();
  const window = getRateLimitWindow(now, `${throttle.name}:${subject}`, throttle.periodSeconds);
  // If a cached read is outdated, the request starts again before it is counted, so it is counted once.
  await services.database.verify();
  const requestCount = await services.countRequest(window);
  const headers = createThrottleHeaders(throttle, requestCount, window.endsAt / 1000);
  if (requestCount <= throttle.limit) return { headers, error: null };
  const retryHeaders = {
    'Retry-After': String(Math.ceil((window.endsAt - now.getTime()) / 1000)),
    'RateLimit-ResetTime': new Date(window.endsAt).toUTCString(),
  };
  const text = settings.rate_limiting_response_text || 'Retry later';
  return { headers, error: new HttpError(429, `${text}\n`, { ...headers, ...retryHeaders }) };
}

/** A throttle, and the user, network or alert target that it counts for. */
interface ThrottleSubject {
  readonly throttle: Throttle;
  readonly subject: number | string;
}

async function findCallerThrottle(
  services: Services,
  request: IncomingRequest,
  settings: ApplicationSettings,
): Promise<ThrottleSubject | null> {
  if (!isAnyThrottleEnabled(settings)) return null;
  const userId = await findThrottledUser(services, request);
  const throttle = findThrottle(settings, request.path, userId !== null);
  return throttle && { throttle, subject: userId ?? getClientNetwork(request.clientAddress) };
}

/** Returns the throttle of an alert. Its subject is the path, which names project and integration. */
function findTargetThrottle(settings: ApplicationSettings, path: string): ThrottleSubject | null {
  const throttle = findAlertThrottle(settings);
  return throttle && { throttle, subject: hashToken(normalizePath(path)) };
}

/** Returns the user of valid credentials in headers, query or cookie; the body is not read yet. */
async function findThrottledUser(services: Services, request: IncomingRequest): Promise<number | null> {
  const identification = await identify(services, getPresentedCredentials(request, parseForm(request.query)), request);
  if (identification.invalidToken !== undefined || identification.block !== null) return null;
  return identification.caller.user?.id ?? null;
}
