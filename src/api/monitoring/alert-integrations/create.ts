import type { KeyObject } from 'node:crypto';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { LEGACY_ENDPOINTS } from './endpoint-path.ts';
import type { PayloadColumns } from './input.ts';
import { getOldestIntegrationId, type IntegrationInProject, insertIntegration } from './store.ts';
import { generateEncryptedToken, generateEndpointIdentifier } from './tokens.ts';

interface CreateIntegrationInput extends PayloadColumns, Columns<'alert_integrations', 'name' | 'type' | 'active'> {
  /** Whether the integration uses the legacy address without an identifier; a project has one for each type. */
  readonly legacy: boolean;
}

/** Creates an integration. Fails with `hasIntegrationOfType` if tier free already has one of this type. */
export async function createIntegration(
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
