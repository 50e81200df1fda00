import type { KeyObject } from 'node:crypto';
import type { AlertIntegrationType } from '#database/tables/alerts.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { LEGACY } from './endpoint-path.ts';
import type { StoredIntegration } from './input.ts';
import { getOldestIntegrationId, type IntegrationInProject, insertIntegration } from './store.ts';
import { generateEncryptedToken, newEndpointIdentifier } from './tokens.ts';

interface CreateIntegrationInput extends StoredIntegration {
  readonly name: string;
  readonly type: AlertIntegrationType;
  readonly active: boolean;
  /** Whether the integration uses the legacy address without an identifier; a project has one for each type. */
  readonly legacy: boolean;
}

/** Creates an integration; on tier free a project may have one of each type. */
export async function createIntegration(
  uow: UnitOfWork,
  key: KeyObject,
  project: Project,
  { legacy, ...input }: CreateIntegrationInput,
): Promise<IntegrationInProject | Failure<'several'>> {
  const isAllowed = uow.tier !== 'free' || (await getOldestIntegrationId(uow, project.id, input.type)) === null;
  if (!isAllowed) return fail('several');
  const endpoint_identifier = legacy ? LEGACY[input.type] : newEndpointIdentifier();
  const integrationKey = { project_id: project.id, endpoint_identifier };
  return insertIntegration(uow, project, {
    payload_example: '{}',
    payload_attribute_mapping: '{}',
    ...input,
    endpoint_identifier,
    ...generateEncryptedToken(key, integrationKey),
  });
}
