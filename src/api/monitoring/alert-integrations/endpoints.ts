import type { Project } from '#domain/namespaces/projects.ts';
import { inProject } from '#http/access/project-access.ts';
import { forbidOnFreeTier } from '#http/access/tiers.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { anyValue, boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { AlertReported } from '../alerts/index.ts';
import { integrationResource } from './access.ts';
import { createIntegration } from './create.ts';
import { AlertIntegration, PayloadField } from './entities.ts';
import { toPayloadColumns } from './input.ts';
import { listPayloadFields } from './payload-fields.ts';
import { anyObject, payloadObject, readSamplePayload } from './payload-parameter.ts';
import { deleteIntegration, listIntegrations, updateIntegration } from './store.ts';
import { processTestAlert } from './test-alert.ts';
import { generateEncryptedToken } from './tokens.ts';

/** Endpoints for the integrations that send alerts to a project (contract/monitoring.md §5). */

const INTEGRATION_TYPES = ['http', 'prometheus'] as const;

/** Parameters for the payloads of an integration; tier free ignores them. */
const payloadParams = { payload_example: optional(payloadObject), payload_attribute_mapping: optional(anyObject) };

const PAYLOAD_ERRORS = {
  exampleInvalid: [400, { error: 'payload_example is invalid' }],
  exampleTooLarge: [400, 'payload_example JSON is too big'],
  invalid: INVALID,
} as const;

const INTEGRATION_NOT_FOUND = [404, '404 Alert Integration Not Found'] as const;

/** Returns the lock key that keeps concurrent requests on tier free from creating two integrations of one type. */
const integrationsLockKey = (project: Project) => `alert integrations ${project.id}`;

export const listAlertIntegrations = endpoint({
  get: '/projects/:id/alert_integrations',
  summary: 'List alert integrations',
  access: inProject('admin_operations'),
  params: { type: optional(oneOf(...INTEGRATION_TYPES)) },
  response: page(AlertIntegration),
  read: (db, { project, params, page, base }) =>
    listIntegrations(db, project, { type: params.type, oldestOnly: base.tier === 'free' }, page),
});

export const getAlertIntegration = endpoint({
  get: '/projects/:id/alert_integrations/:integration_id',
  summary: 'Get an alert integration',
  access: inProject('admin_operations').resource(integrationResource),
  response: ok(AlertIntegration),
  read: (_db, { integration }) => integration,
});

export const createAlertIntegration = endpoint({
  post: '/projects/:id/alert_integrations',
  summary: 'Create an alert integration',
  access: inProject('admin_operations'),
  params: {
    name: required(notBlank(shortText)),
    type: optional(oneOf(...INTEGRATION_TYPES), 'http'),
    active: optional(boolean, true),
    legacy: optional(boolean, false),
    ...payloadParams,
  },
  errors: {
    ...PAYLOAD_ERRORS,
    hasIntegrationOfType: [400, 'Multiple integrations of a single type are not supported for this project'],
  },
  uniqueErrors: {
    alert_integrations_by_endpoint: fail('invalid', {
      errors: { endpoint_identifier: ['has already been taken'] },
    }),
  },
  response: created(AlertIntegration),
  async handle({ project, caller, params }, { runUnitOfWork, secretKey, config }) {
    const payload = await toPayloadColumns(params, config.tier);
    if (isFailure(payload)) return payload;
    const { name, type, active, legacy } = params;
    const input = { name, type, active, legacy, ...payload };
    const encryptionKey = await secretKey();
    return runUnitOfWork(caller, (uow) => createIntegration(uow, encryptionKey, project, input), {
      lock: integrationsLockKey(project),
    });
  },
});

export const updateAlertIntegration = endpoint({
  put: '/projects/:id/alert_integrations/:integration_id',
  summary: 'Update an alert integration',
  access: inProject('admin_operations').resource(integrationResource),
  params: { name: optional(notBlank(shortText)), active: optional(boolean), ...payloadParams },
  rules: [atLeastOne('name', 'active', 'payload_example', 'payload_attribute_mapping')],
  errors: { ...PAYLOAD_ERRORS, notFound: INTEGRATION_NOT_FOUND },
  response: ok(AlertIntegration),
  async handle({ integration, caller, params }, { runUnitOfWork, config }) {
    const payload = await toPayloadColumns(params, config.tier);
    if (isFailure(payload)) return payload;
    const { name, active } = params;
    const changedColumns = { ...(name != null && { name }), ...(active != null && { active }), ...payload };
    return runUnitOfWork(
      caller,
      async (uow) => (await updateIntegration(uow, integration, changedColumns)) ?? fail('notFound'),
    );
  },
});

export const deleteAlertIntegration = endpoint({
  delete: '/projects/:id/alert_integrations/:integration_id',
  summary: 'Delete an alert integration',
  access: inProject('admin_operations').resource(integrationResource),
  response: noContent,
  write: (uow, { integration }) => deleteIntegration(uow, integration.id),
});

export const resetAlertIntegrationToken = endpoint({
  post: '/projects/:id/alert_integrations/:integration_id/reset_token',
  summary: 'Reset the token of an alert integration',
  access: inProject('admin_operations').resource(integrationResource),
  errors: { notFound: INTEGRATION_NOT_FOUND },
  response: created(AlertIntegration),
  async handle({ integration, caller }, { runUnitOfWork, secretKey }) {
    const tokenColumns = generateEncryptedToken(await secretKey(), integration);
    return runUnitOfWork(
      caller,
      async (uow) => (await updateIntegration(uow, integration, tokenColumns)) ?? fail('notFound'),
    );
  },
});

export const sendTestAlert = endpoint({
  post: '/projects/:id/alert_integrations/:integration_id/test_alert',
  summary: 'Send a test alert',
  access: inProject('update_alert_management_alert').resource(integrationResource),
  params: { payload: required(payloadObject) },
  errors: {
    payloadInvalid: [400, { error: 'payload is invalid' }],
    unusablePayload: [400, '400 Bad request'],
    isInactive: [403, '403 Forbidden - The integration is inactive'],
  },
  response: list(AlertReported),
  handle: ({ project, integration, params, request }, services) =>
    processTestAlert(services, { project, integration, payload: params.payload, client: request.client }),
});

export const listAlertPayloadFields = endpoint({
  post: '/projects/:id/alert_integrations/payload_fields',
  summary: 'List fields of a sample alert payload',
  access: inProject('admin_operations').require(forbidOnFreeTier),
  params: { payload: required(anyValue) },
  errors: {
    invalidPayload: [400, 'Failed to parse payload'],
    tooLarge: [400, 'Payload size exceeded'],
  },
  response: list(PayloadField),
  async handle({ params }) {
    const payload = await readSamplePayload(params.payload);
    if (payload === 'tooLarge') return fail('tooLarge');
    if (typeof payload === 'string') return fail('invalidPayload');
    return (await listPayloadFields(payload.value)) ?? fail('tooLarge');
  },
});
