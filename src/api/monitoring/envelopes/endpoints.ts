import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok } from '#http/endpoint/responses.ts';
import { clientKeyAccess, INGESTION_ERRORS } from './access.ts';
import { receiveEnvelope, receiveEvent } from './receive.ts';

// Ingestion endpoints of SDKs, which derive the URL from their DSN. Three DSN formats are supported; Hearth hands out the
// first (contract/monitoring.md §10). The path determines how the body is parsed; its content type is ignored.

/** The id of the event, without hyphens; absent if the report has none. */
const ReportReceived = ok(entity('ReportReceived', { id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })) }));

const sharedDefinition = {
  stageOrder: 'customAuthentication',
  body: 'raw',
  errors: INGESTION_ERRORS,
  response: ReportReceived,
} as const;

const envelopeDefinition = {
  ...sharedDefinition,
  access: clientKeyAccess('envelope'),
  handle: receiveEnvelope,
} as const;
const eventDefinition = { ...sharedDefinition, access: clientKeyAccess('store'), handle: receiveEvent } as const;

export const ingestEnvelope = endpoint({
  post: '/errortracking/api/v1/projects/api/:project_id/envelope/',
  summary: 'Report errors and sessions in an envelope',
  description:
    'Stores the error events of an envelope and counts its sessions; items of other types are accepted and dropped. The client key is sent in `X-Sentry-Auth`, in the query, or in the DSN of the envelope header. A repeated event id counts once. Reports over the rate limit of the project get 429.',
  outsideApi: true,
  ...envelopeDefinition,
});

export const ingestEvent = endpoint({
  post: '/errortracking/api/v1/projects/api/:project_id/store/',
  summary: 'Report an error',
  description:
    'Stores one error event, and groups it with earlier events of the same fingerprint. The client key is sent in `X-Sentry-Auth` or in the query. A new event of a resolved error makes it unresolved again. Reports over the rate limit of the project get 429.',
  outsideApi: true,
  ...eventDefinition,
});

export const ingestEnvelopeByOlderDsn = endpoint({
  post: '/error_tracking/collector/api/:project_id/envelope/',
  summary: 'Report an envelope to an old DSN',
  description:
    'Accepts envelopes from SDKs that are configured with a DSN of an older format. Processing and responses are those of the current format.',
  ...envelopeDefinition,
});

export const ingestEventByOlderDsn = endpoint({
  post: '/error_tracking/collector/api/:project_id/store/',
  summary: 'Report an event to an old DSN',
  description:
    'Accepts single events from SDKs that are configured with a DSN of an older format. Processing and responses are those of the current format.',
  ...eventDefinition,
});

// The pattern of `:project_id` excludes the REST API below /api/v4.
export const ingestEnvelopeByPlainDsn = endpoint({
  post: '/api/:project_id(^(?!v\\d).*$)/envelope/',
  summary: 'Report an envelope to a DSN without a path',
  description:
    'Accepts envelopes from SDKs whose DSN has only a project id as its path. Processing and responses are those of the current format.',
  outsideApi: true,
  ...envelopeDefinition,
});

export const ingestEventByPlainDsn = endpoint({
  post: '/api/:project_id(^(?!v\\d).*$)/store/',
  summary: 'Report an event to a DSN without a path',
  description:
    'Accepts single events from SDKs whose DSN has only a project id as its path. Processing and responses are those of the current format.',
  outsideApi: true,
  ...eventDefinition,
});
