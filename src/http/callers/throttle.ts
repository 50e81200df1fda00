import { identify } from '#authentication/credentials.ts';
import { networkOf } from '#rate-limits/client-network.ts';
import {
  alertThrottle,
  anyThrottle,
  isAlertPath,
  isThrottled,
  type Throttle,
  throttleFor,
  throttleHeaders,
} from '#rate-limits/throttles.ts';
import { windowAt } from '#rate-limits/window-counters.ts';
import { digestToken } from '#security/tokens.ts';
import { type ApplicationSettings, readSettings } from '#settings/settings.ts';
import { HttpError } from '../errors/http-error.ts';
import { parseForm } from '../parameters/brackets.ts';
import { presentedCredentials } from '../request/credentials.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Services } from '../services.ts';

/** What a throttle says of one request; `refusal` when it is one too many. */
interface Throttled {
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: HttpError | null;
}

/**
 * Stage 2 (contract/conventions.md §1, §8): counts the request for its user, or else for its network; alerts are counted for
 * where they are sent to. Who it is, is looked up before; whether he may come in is said later. Null: no throttle applies.
 */
export async function throttled(services: Services, request: Incoming): Promise<Throttled | null> {
  const isAlert = isAlertPath(request.method, request.path);
  if (!isAlert && !isThrottled(request.method, request.path)) return null;
  const settings = await readSettings(services.database.reader);
  const counted = isAlert ? ofAlert(settings, request.path) : await ofCaller(services, request, settings);
  if (counted === null) return null;
  const { throttle, subject } = counted;
  const now = services.clock.now();
  const window = windowAt(now, `${throttle.name}:${subject}`, throttle.periodSeconds);
  const observed = await services.countRequest(window);
  const headers = throttleHeaders(throttle, observed, window.endsAt / 1000);
  if (observed <= throttle.limit) return { headers, refusal: null };
  const wait = {
    'Retry-After': String(Math.ceil((window.endsAt - now.getTime()) / 1000)),
    'RateLimit-ResetTime': new Date(window.endsAt).toUTCString(),
  };
  const text = settings.rate_limiting_response_text || 'Retry later';
  return { headers, refusal: new HttpError(429, `${text}\n`, { ...headers, ...wait }) };
}

/** A throttle, and for whom it counts. */
interface Counted {
  readonly throttle: Throttle;
  readonly subject: number | string;
}

async function ofCaller(services: Services, request: Incoming, settings: ApplicationSettings): Promise<Counted | null> {
  if (!anyThrottle(settings)) return null;
  const userId = await userOf(services, request);
  const throttle = throttleFor(settings, request.path, userId !== null);
  return throttle && { throttle, subject: userId ?? networkOf(request.clientAddress) };
}

function ofAlert(settings: ApplicationSettings, path: string): Counted | null {
  const throttle = alertThrottle(settings);
  return throttle && { throttle, subject: digestToken(path) };
}

/** The user of a valid credential in the headers, the query or the cookie; one in the body counts as none here. */
async function userOf(services: Services, request: Incoming): Promise<number | null> {
  const identified = await identify(services, presentedCredentials(request, parseForm(request.query)), request);
  if (identified.dead !== undefined || identified.barred !== null) return null;
  return identified.caller.user?.id ?? null;
}
