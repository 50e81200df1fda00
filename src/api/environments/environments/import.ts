import type { EnvironmentState, EnvironmentTier } from '#database/tables/environments.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { insertEnvironment, nameErrors, takenErrors } from '../environment-model/index.ts';
import { wishErrors } from './validation.ts';

/** An environment as another server tells of it. */
export interface ImportedEnvironment {
  readonly name: string;
  readonly external_url: string | null;
  readonly tier: EnvironmentTier | null;
  readonly state: EnvironmentState;
}

/**
 * An environment of another server, without deployments (contract/operations.md §1.4). What was being stopped there is stopped:
 * nothing goes on with it here.
 */
export async function importEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, state, ...wish }: ImportedEnvironment,
): Promise<EnvironmentRow | Failure<'invalid'>> {
  const errors = fieldErrors({ name: nameErrors(name), ...wishErrors(wish) });
  if (errors !== null) return invalid(errors);
  const made = await insertEnvironment(uow, project, name, wish, state === 'stopping' ? 'stopped' : state);
  return isFailure(made) ? invalid(await takenErrors(uow, project.id, name)) : made;
}
