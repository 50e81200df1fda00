import type { EnvironmentRow } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, isFailure } from '#runtime/failure.ts';
import { findUniquenessErrors, insertEnvironment, validateEnvironmentName } from '../environment-model/index.ts';
import { type EnvironmentInput, toSentences, validateEnvironment } from './validation.ts';

/** Creates an environment; of concurrent requests with one name, one succeeds. */
export async function createEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, ...input }: EnvironmentInput & { readonly name: string },
): Promise<EnvironmentRow | Failure<'agentUnsupported' | 'fieldsInvalid'>> {
  if (input.cluster_agent_id != null) return fail('agentUnsupported');
  const nameErrors = validateEnvironmentName(name);
  const errors = compactFieldErrors({ name: nameErrors, ...validateEnvironment(input) });
  if (errors === null) {
    const environment = await insertEnvironment(uow, project, name, input);
    return isFailure(environment) ? toFailure(await findUniquenessErrors(uow, project.id, name)) : environment;
  }
  // Uniqueness errors are added only for a valid name.
  return toFailure(
    nameErrors.length > 0 ? errors : { ...(await findUniquenessErrors(uow, project.id, name)), ...errors },
  );
}

const toFailure = (errors: FieldErrors): Failure<'fieldsInvalid'> =>
  fail('fieldsInvalid', { texts: toSentences(errors) });
