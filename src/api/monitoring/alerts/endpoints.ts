import { Type } from 'typebox';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type AccessCall, access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { list } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import { getBasicCredentials, getBearerToken } from '#http/request/credentials.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { hashToken, secretsEqual } from '#security/tokens.ts';
import { parseMapping } from './attribute-mapping.ts';
import type { AlertSender } from './parsed-alert.ts';
import { readPayload } from './payload.ts';
import { receiveAlerts } from './receive.ts';
import { findIntegrationByEndpoint, findOldestIntegration, findProjectByPath } from './store.ts';
import { getWebhookElements } from './webhook-payload.ts';

// Endpoints that receive alerts from monitoring tools (contract/monitoring.md §1), each with and without `.json`.

/** An alert that a payload created, was grouped into or resolved. */
export const AlertReported = entity('AlertReported', { iid: Type.Integer(), title: Type.String() });

/** The definition that all six endpoints share. */
const sharedDefinition = {
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
  errors: {
    unusablePayload: [400, '400 Bad request'],
    forbidden: FORBIDDEN,
    unauthorized: [401, '401 Unauthorized'],
  },
  response: list(AlertReported),
  async handle(
    { target, request }: { readonly target: AlertTarget; readonly request: IncomingRequest },
    {
      runUnitOfWork,
      clock,
      config: { tier },
      database,
      metrics,
    }: Pick<Services, 'config' | 'clock' | 'database' | 'metrics' | 'runUnitOfWork'>,
  ) {
    const payload = await readPayload(request, metrics);
    if (isFailure(payload)) return payload;
    // Get the reader only after the body, which may take minutes to arrive.
    const db = database.forRequest().reader;
    const isWebhookFormat = getWebhookElements(payload.value) !== null;
    const sender = await authenticateIntegration(db, { request, target, isWebhookFormat, tier });
    if (isFailure(sender)) return sender;
    const { projectId } = target;
    return receiveAlerts({ runUnitOfWork, clock, tier }, db, { projectId, sender, payload, client: request.client });
  },
} as const;

const identifierAccess = integrationAccess(({ project_path = '', endpoint_identifier = '' }) => [
  { path: project_path, endpoint: endpoint_identifier },
]);

const legacyPrometheusAccess = integrationAccess(({ project_path = '' }) => [
  { path: project_path, endpoint: 'legacy-prometheus' },
  // `prometheus` may also be the last segment of the project's path.
  { path: `${project_path}/prometheus`, endpoint: 'legacy' },
]);

const legacyAccess = integrationAccess(({ project_path = '' }) => [{ path: project_path, endpoint: 'legacy' }]);

export const notifyIntegrationJson = endpoint({
  post: '/*project_path/alerts/notify/:name/:endpoint_identifier.json',
  summary: 'Send an alert to an integration (.json)',
  description:
    'The same as the URL without `.json`: both payload formats are accepted, and the key authenticates the sender. It is the form that the API returns as the URL of an integration.',
  access: identifierAccess,
  ...sharedDefinition,
});

export const notifyIntegration = endpoint({
  post: '/*project_path/alerts/notify/:name/:endpoint_identifier',
  summary: 'Send an alert to an integration',
  description:
    'Accepts one alert as a JSON object of any form, or several in the format of Alertmanager webhooks. The key of the integration is sent as a bearer token or as the password of basic authentication. An alert with the fingerprint of an unresolved one is counted there. A payload with an end time resolves that alert. Returns the alerts that were created, grouped into or resolved.',
  access: identifierAccess,
  ...sharedDefinition,
});

export const notifyPrometheusJson = endpoint({
  post: '/*project_path/prometheus/alerts/notify.json',
  summary: 'Send an alert to the legacy Prometheus integration (.json)',
  description:
    'The same as the URL without `.json`: both payload formats are accepted, and the key authenticates the sender.',
  access: legacyPrometheusAccess,
  ...sharedDefinition,
});

export const notifyPrometheus = endpoint({
  post: '/*project_path/prometheus/alerts/notify',
  summary: 'Send an alert to the legacy Prometheus integration',
  description:
    'Sends an alert to the integration of type `prometheus` that was created with `legacy`. Payload formats, authentication and response are those of the other integrations.',
  access: legacyPrometheusAccess,
  ...sharedDefinition,
});

export const notifyLegacyJson = endpoint({
  post: '/*project_path/alerts/notify.json',
  summary: 'Send an alert to the legacy integration (.json)',
  description:
    'The same as the URL without `.json`: both payload formats are accepted, and the key authenticates the sender.',
  access: legacyAccess,
  ...sharedDefinition,
});

export const notifyLegacy = endpoint({
  post: '/*project_path/alerts/notify',
  summary: 'Send an alert to the legacy integration',
  description:
    'Sends an alert to the integration of type `http` that was created with `legacy`. Payload formats, authentication and response are those of the other integrations.',
  access: legacyAccess,
  ...sharedDefinition,
});

/**
 * Returns the integration that an alert is sent to if the request has its key (contract/monitoring.md §1 step 4). Fails with 403 if no
 * integration is active, and with 401 if the key is missing or wrong. Webhook senders get 401 in both cases.
 */
async function authenticateIntegration(
  db: Reader,
  {
    request,
    target,
    isWebhookFormat,
    tier,
  }: { request: IncomingRequest; target: AlertTarget; isWebhookFormat: boolean; tier: Tier },
): Promise<AlertSender | Failure<'forbidden' | 'unauthorized'>> {
  const integration = await findIntegrationByEndpoint.first(db, target);
  const isUsable = integration?.active && (tier !== 'free' || (await isOldest(db, target.projectId, integration)));
  if (!integration || !isUsable) return fail(isWebhookFormat ? 'unauthorized' : 'forbidden');
  const key = getBearerToken(request) ?? getBasicCredentials(request)?.password ?? '';
  if (!secretsEqual(hashToken(key), integration.token_digest)) return fail('unauthorized');
  const { name, payload_attribute_mapping: mapping } = integration;
  return { name, mapping: parseMapping(tier === 'free' ? '{}' : mapping) };
}

/** Tier free uses the oldest integration of each type and hides the others without deleting them (contract/monitoring.md §5). */
async function isOldest(
  db: Reader,
  projectId: number,
  { id, type }: { readonly id: number; readonly type: 'http' | 'prometheus' },
): Promise<boolean> {
  return (await findOldestIntegration.first(db, { projectId, type }))?.id === id;
}

/** The target of an alert: a project and one of its integrations. */
interface AlertTarget {
  readonly projectId: number;
  /** The endpoint identifier of the integration. */
  readonly endpoint: string;
}

/** One possible reading of the URL path: where the project path ends is ambiguous. */
interface AddressCandidate {
  /** Full path of the project. */
  readonly path: string;
  readonly endpoint: string;
}

/**
 * Creates the access rule that resolves the project from its path. `authenticateIntegration` checks the key later, when the
 * format of the body is known (contract/monitoring.md §1). `listCandidates` returns the possible interpretations of the address;
 * the first one that matches a project is used.
 */
function integrationAccess(listCandidates: (path: AccessCall['path']) => readonly AddressCandidate[]) {
  return access<{ target: AlertTarget }>({
    audience: 'tokenHolder',
    label: 'integration key',
    authenticate: () => {},
    authorize: () => {},
    async load({ db, path, request }) {
      // The address must not contain encoded slashes.
      const candidates = /%2f/i.test(request.path) ? [] : listCandidates(path);
      for (const { path: fullPath, endpoint } of candidates) {
        const project = await findProjectByPath.first(db, { path: foldCase(fullPath) });
        if (project !== undefined) return { target: { projectId: project.id, endpoint } };
      }
      throw notFound('Project');
    },
  });
}
