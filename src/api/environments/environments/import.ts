import type { Columns } from '#database/database.ts';
import type { EnvironmentTier } from '#database/schema.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { findUniquenessErrors, insertEnvironment, validateEnvironmentName } from '../environment-model/index.ts';
import { validateEnvironment } from './validation.ts';

/** An environment exported from another server. */
export interface ImportedEnvironment extends Columns<'environments', 'name' | 'external_url' | 'state'> {
  readonly tier: EnvironmentTier | null;
}

/**
 * Creates an environment from another server, without deployments (contract/operations.md §1.4). A stopping environment is
 * imported as stopped, because no stop job runs here.
 */
export async function importEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, state, ...input }: ImportedEnvironment,
): Promise<EnvironmentRow | Failure<'invalid'>> {
  const errors = compactFieldErrors({ name: validateEnvironmentName(name), ...validateEnvironment(input) });
  if (errors !== null) return invalid(errors);
  const environment = await insertEnvironment(uow, project, name, input, state === 'stopping' ? 'stopped' : state);
  return isFailure(environment) ? invalid(await findUniquenessErrors(uow, project.id, name)) : environment;
}
