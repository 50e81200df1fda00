import { Type } from 'typebox';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { ok } from '#http/endpoint/responses.ts';
import { byClientKey } from './access.ts';
import { REFUSALS } from './errors.ts';
import { receiveEnvelope, receiveEvent } from './receive.ts';

/**
 * Where SDKs send what they report, as they make it of their DSN: three forms of it, of which Hearth gives out the first
 * (contract/monitoring.md §10). The path says how a body is read, whatever its type is.
 */

/** Nothing but what the sender knows already, as it is written. */
const Received = ok(entity('ReportReceived', { id: Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' })) }));

const ofReports = { stageOrder: 'ownCredentials', body: 'raw', errors: REFUSALS, response: Received } as const;

const ofEnvelopes = { ...ofReports, access: byClientKey('envelope'), handle: receiveEnvelope } as const;
const ofEvents = { ...ofReports, access: byClientKey('store'), handle: receiveEvent } as const;

export const ingestEnvelope = endpoint({
  post: '/errortracking/api/v1/projects/api/:project_id/envelope/',
  summary: 'Report errors and sessions in an envelope',
  root: true,
  ...ofEnvelopes,
});

export const ingestEvent = endpoint({
  post: '/errortracking/api/v1/projects/api/:project_id/store/',
  summary: 'Report an error of a program',
  root: true,
  ...ofEvents,
});

export const ingestEnvelopeByOlderDsn = endpoint({
  post: '/error_tracking/collector/api/:project_id/envelope/',
  summary: 'Report an envelope to an old DSN',
  ...ofEnvelopes,
});

export const ingestEventByOlderDsn = endpoint({
  post: '/error_tracking/collector/api/:project_id/store/',
  summary: 'Report an event to an old DSN',
  ...ofEvents,
});

// Below /api/v4 are other things than projects.
export const ingestEnvelopeByPlainDsn = endpoint({
  post: '/api/:project_id(^(?!v\\d).*$)/envelope/',
  summary: 'Report an envelope to a DSN without a path',
  root: true,
  ...ofEnvelopes,
});

export const ingestEventByPlainDsn = endpoint({
  post: '/api/:project_id(^(?!v\\d).*$)/store/',
  summary: 'Report an event to a DSN without a path',
  root: true,
  ...ofEvents,
});
