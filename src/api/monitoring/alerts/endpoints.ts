import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { list } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { isFailure } from '#runtime/failure.ts';
import { type AlertTarget, integrationAccess } from './access.ts';
import { authenticateIntegration } from './authenticate.ts';
import { readPayload } from './payload.ts';
import { receiveAlerts } from './receive.ts';
import { getWebhookElements } from './webhook-payload.ts';

/** Endpoints that receive alerts from monitoring tools (contract/monitoring.md §1), each with and without `.json`. */

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
  access: identifierAccess,
  ...sharedDefinition,
});

export const notifyIntegration = endpoint({
  post: '/*project_path/alerts/notify/:name/:endpoint_identifier',
  summary: 'Send an alert to an integration',
  access: identifierAccess,
  ...sharedDefinition,
});

export const notifyPrometheusJson = endpoint({
  post: '/*project_path/prometheus/alerts/notify.json',
  summary: 'Send an alert to the legacy Prometheus integration (.json)',
  access: legacyPrometheusAccess,
  ...sharedDefinition,
});

export const notifyPrometheus = endpoint({
  post: '/*project_path/prometheus/alerts/notify',
  summary: 'Send an alert to the legacy Prometheus integration',
  access: legacyPrometheusAccess,
  ...sharedDefinition,
});

export const notifyLegacyJson = endpoint({
  post: '/*project_path/alerts/notify.json',
  summary: 'Send an alert to the legacy integration (.json)',
  access: legacyAccess,
  ...sharedDefinition,
});

export const notifyLegacy = endpoint({
  post: '/*project_path/alerts/notify',
  summary: 'Send an alert to the legacy integration',
  access: legacyAccess,
  ...sharedDefinition,
});
