import type { Project } from '#domain/namespaces/projects.ts';
import type { RawParameters } from '#http/parameters/brackets.ts';
import type { Services } from '#http/services.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { receiveAlerts } from '../alerts/index.ts';
import { parseMapping } from '../attribute-mappings/index.ts';
import { readSamplePayload } from './payload-parameter.ts';
import { getOldestIntegrationId, type IntegrationInProject } from './store.ts';

interface TestAlertInput {
  readonly project: Project;
  readonly integration: IntegrationInProject;
  readonly payload: RawParameters | string;
  readonly client: RequestClient;
}

/** Processes a payload as if a monitoring tool had sent it with the right key. Creates real alerts. */
export async function processTestAlert(
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
