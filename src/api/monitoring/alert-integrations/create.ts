import type { KeyObject } from 'node:crypto';
import type { AlertIntegrationType } from '#database/tables/alerts.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { LEGACY } from './endpoint-path.ts';
import type { StoredIntegration } from './input.ts';
import { type IntegrationInProject, insertIntegration, oldestOfType } from './store.ts';
import { newEndpointIdentifier, newSealedToken } from './tokens.ts';

interface Wish extends StoredIntegration {
  readonly name: string;
  readonly type: AlertIntegrationType;
  readonly active: boolean;
  /** Reached by an address that names nothing, of which a project has one for each type. */
  readonly legacy: boolean;
}

/** Lets a tool send alerts to the project; on tier free one of each type does. */
export async function createIntegration(
  uow: UnitOfWork,
  key: KeyObject,
  project: Project,
  { legacy, ...wish }: Wish,
): Promise<IntegrationInProject | Failure<'several'>> {
  const isOnly = uow.tier !== 'free' || (await oldestOfType(uow, project.id, wish.type)) === null;
  if (!isOnly) return fail('several');
  const endpoint_identifier = legacy ? LEGACY[wish.type] : newEndpointIdentifier();
  const place = { project_id: project.id, endpoint_identifier };
  return insertIntegration(uow, project, {
    payload_example: '{}',
    payload_attribute_mapping: '{}',
    ...wish,
    endpoint_identifier,
    ...newSealedToken(key, place),
  });
}
