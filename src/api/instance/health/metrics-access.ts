import type { Config } from '#config.ts';
import { type Access, access } from '#http/access/access.ts';
import { HttpError, unauthorized } from '#http/errors/http-error.ts';
import { getBearerToken } from '#http/request/credentials.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { secretsEqual } from '#security/tokens.ts';

const noCheck = () => {};

/**
 * Allows everybody to read the metrics, or only requests with the token of HEARTH_METRICS_TOKEN if it is set. API credentials
 * never count: a monitoring system needs no account.
 */
export const metricsAccess = (): Access<object> =>
  access({
    audience: 'open',
    label: 'open + metrics token',
    authenticate: noCheck,
    async load({ services, request }) {
      const error = checkMetricsToken(services.config, request);
      if (error !== null) throw error;
      return {};
    },
    authorize: noCheck,
  }).withErrors({ wrongToken: [401, { message: '401 Unauthorized' }] });

/** Returns the error for a request without the token of HEARTH_METRICS_TOKEN, or null. Takes constant time. */
export function checkMetricsToken(
  { metricsToken }: Pick<Config, 'metricsToken'>,
  request: IncomingRequest,
): HttpError | null {
  if (metricsToken === null || secretsEqual(getBearerToken(request) ?? '', metricsToken)) return null;
  const { status, body } = unauthorized();
  return new HttpError(status, body, { 'WWW-Authenticate': 'Bearer realm="Metrics"' });
}
