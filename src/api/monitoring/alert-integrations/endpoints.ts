import type { KeyObject } from 'node:crypto';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type AccessCall, forbidOnFreeTier } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { anyValue, boolean, integer, notBlank, oneOf } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { AlertReported, isMapping, parseMapping, receiveAlerts } from '../alerts/index.ts';
import { AlertIntegration, LEGACY_ENDPOINTS, PayloadField } from './entities.ts';
import { anyObject, listPayloadFields, payloadObject, readSamplePayload } from './payload.ts';
import {
  deleteIntegration,
  findIntegration,
  generateEncryptedToken,
  generateEndpointIdentifier,
  getOldestIntegrationId,
  type IntegrationInProject,
  insertIntegration,
  listIntegrations,
  updateIntegration,
} from './store.ts';

// Validates the payload parameters of an integration before anything is written.

interface IntegrationPayloadInput {
  readonly payload_example?: RawParameters | string | null | undefined;
  readonly payload_attribute_mapping?: RawParameters | null | undefined;
}

/** Column values of the payload parameters; absent columns stay unchanged. */
interface PayloadColumns {
  readonly payload_example?: string;
  readonly payload_attribute_mapping?: string;
}

type PayloadInputError = 'exampleInvalid' | 'exampleTooLarge' | 'invalid';

/** Maximum length of a mapping, in characters. Each received payload parses the mapping. */
const MAX_MAPPING_LENGTH = 65_536;

const INVALID_MAPPING = { payload_attribute_mapping: ['must be a valid json schema'] };

/** Returns the JSON of the example and of the mapping. Returns an empty object on tier free, which ignores both. */
async function toPayloadColumns(
  input: IntegrationPayloadInput,
  tier: string,
): Promise<PayloadColumns | Failure<PayloadInputError>> {
  if (tier === 'free') return {};
  const { payload_example, payload_attribute_mapping } = input;
  const example = payload_example == null ? null : await readSamplePayload(payload_example);
  if (example === 'tooLarge') return fail('exampleTooLarge');
  if (example === 'invalid' || example === 'tooDeep') return fail('exampleInvalid');
  const mapping = payload_attribute_mapping == null ? null : toMappingJson(payload_attribute_mapping);
  if (mapping === 'invalid') return fail('invalid', { errors: INVALID_MAPPING });
  return {
    ...(example && { payload_example: example.json }),
    ...(mapping && { payload_attribute_mapping: mapping }),
  };
}

/** Returns the JSON of a mapping, or `invalid` if it does not match the schema or is too long. */
function toMappingJson(mapping: RawParameters): string {
  const json = isMapping(mapping) ? JSON.stringify(mapping) : '';
  return json === '' || json.length > MAX_MAPPING_LENGTH ? 'invalid' : json;
}

/**
 * Loads the integration that the path names. On tier free, newer integrations of a type neither work nor are listed, but they
 * exist: a caller who knows the id can get one, reset its token and delete it.
 */
const integrationResource = {
  name: 'integration',
  params: { integration_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly integration_id: number }>, { project }: { readonly project: Project }) =>
    findIntegration(db, project, params.integration_id),
  notFound: () => notFound('Alert Integration'),
} as const;

// Endpoints for the integrations that send alerts to a project (contract/monitoring.md §5).

const INTEGRATION_TYPES = ['http', 'prometheus'] as const;

/** Parameters for the payloads of an integration; tier free ignores them. */
const payloadParams = {
  payload_example: describe(
    optional(payloadObject),
    'A sample payload, as an object or as JSON text; ignored on the free tier.',
  ),
  payload_attribute_mapping: describe(
    optional(anyObject),
    'For each alert field, the `path` of its value in the payload, and its `type`; ignored on the free tier.',
  ),
};

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
  description:
    'Returns the integrations with their tokens and URLs, ordered by id. On the free tier only the oldest integration of each type works, and only it is listed.',
  access: inProject('admin_operations'),
  params: { type: optional(oneOf(...INTEGRATION_TYPES)) },
  response: page(AlertIntegration),
  read: (db, { project, params, page, base }) =>
    listIntegrations(db, project, { type: params.type, oldestOnly: base.tier === 'free' }, page),
});

export const getAlertIntegration = endpoint({
  get: '/projects/:id/alert_integrations/:integration_id',
  summary: 'Get an alert integration',
  description:
    'Returns the integration with its token, and with the URL to which monitoring tools send alerts. On the free tier, integrations that are not listed can still be read by id.',
  access: inProject('admin_operations').resource(integrationResource),
  response: ok(AlertIntegration),
  read: (_db, { integration }) => integration,
});

export const createAlertIntegration = endpoint({
  post: '/projects/:id/alert_integrations',
  summary: 'Create an alert integration',
  description:
    'The server generates the token and the URL. The response contains both, and they can be read again later. The free tier allows one integration of each type.',
  access: inProject('admin_operations'),
  params: {
    name: required(notBlank(shortText)),
    type: optional(oneOf(...INTEGRATION_TYPES), 'http'),
    active: optional(boolean, true),
    legacy: describe(
      optional(boolean, false),
      'Whether the integration uses the older URL without an identifier; a project has at most one of each type.',
    ),
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
  description:
    'Changes the name, the activity, the sample payload and the mapping; parameters that are not sent keep their value. Type, token and URL identifier cannot change. An inactive integration rejects alerts.',
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
  description: 'Monitoring tools that use the integration are rejected from then on. Alerts that it received are kept.',
  access: inProject('admin_operations').resource(integrationResource),
  response: noContent,
  write: (uow, { integration }) => deleteIntegration(uow, integration.id),
});

export const resetAlertIntegrationToken = endpoint({
  post: '/projects/:id/alert_integrations/:integration_id/reset_token',
  summary: 'Reset the token of an alert integration',
  description: 'Generates a new token and returns the integration with it. The old token stops working immediately.',
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
  description:
    'Processes the payload like one that a monitoring tool has sent with the right key, and stores real alerts. Returns the alerts that it created, grouped into or resolved.',
  access: inProject('update_alert_management_alert').resource(integrationResource),
  params: { payload: describe(required(payloadObject), 'An object, or JSON text of one.') },
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
  description:
    'Returns the path, label and type of each field in a sample payload that a mapping can refer to. Nothing is stored. The free tier has no mappings, so the response there is 403.',
  access: inProject('admin_operations').require(forbidOnFreeTier),
  params: { payload: describe(required(anyValue), 'An object, or JSON text of one.') },
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

interface CreateIntegrationInput extends PayloadColumns, Columns<'alert_integrations', 'name' | 'type' | 'active'> {
  /** Whether the integration uses the legacy address without an identifier; a project has one for each type. */
  readonly legacy: boolean;
}

/** Creates an integration. Fails with `hasIntegrationOfType` if tier free already has one of this type. */
async function createIntegration(
  uow: UnitOfWork,
  encryptionKey: KeyObject,
  project: Project,
  { legacy, ...input }: CreateIntegrationInput,
): Promise<IntegrationInProject | Failure<'hasIntegrationOfType'>> {
  const isAllowed = uow.tier !== 'free' || (await getOldestIntegrationId(uow, project.id, input.type)) === null;
  if (!isAllowed) return fail('hasIntegrationOfType');
  const endpoint_identifier = legacy ? LEGACY_ENDPOINTS[input.type] : generateEndpointIdentifier();
  return insertIntegration(uow, project, {
    payload_example: '{}',
    payload_attribute_mapping: '{}',
    ...input,
    endpoint_identifier,
    ...generateEncryptedToken(encryptionKey, { project_id: project.id, endpoint_identifier }),
  });
}

interface TestAlertInput {
  readonly project: Project;
  readonly integration: IntegrationInProject;
  readonly payload: RawParameters | string;
  readonly client: RequestClient;
}

/** Processes a payload as if a monitoring tool had sent it with the right key. Creates real alerts. */
async function processTestAlert(
  {
    runUnitOfWork,
    clock,
    config: { tier },
    database,
  }: Pick<Services, 'runUnitOfWork' | 'clock' | 'config' | 'database'>,
  { project, integration, payload: rawPayload, client }: TestAlertInput,
): Promise<Awaited<ReturnType<typeof receiveAlerts>> | Failure<'payloadInvalid' | 'isInactive'>> {
  const { id, type, name, active, payload_attribute_mapping: mapping } = integration;
  const payload = await readSamplePayload(rawPayload);
  if (payload === 'invalid') return fail('payloadInvalid');
  const db = database.forRequest().reader;
  const isHidden = tier === 'free' && (await getOldestIntegrationId(db, project.id, type)) !== id;
  if (!active || isHidden) return fail('isInactive');
  // The payload is too large or nested too deeply; this is reported only for an active integration.
  if (typeof payload === 'string') return fail('unusablePayload');
  const sender = { name, mapping: parseMapping(tier === 'free' ? '{}' : mapping) };
  const { value, json: text } = payload;
  return receiveAlerts({ runUnitOfWork, clock, tier }, db, {
    projectId: project.id,
    sender,
    payload: { value, text, largeAlerts: null },
    client,
  });
}
