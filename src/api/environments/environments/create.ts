import type { EnvironmentRow } from '#domain/environments.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fail, fieldErrors, isFailure } from '#runtime/failure.ts';
import { insertEnvironment, nameErrors, takenErrors } from '../environment-model/index.ts';
import { sentences, type Wish, wishErrors } from './validation.ts';

/** Makes an environment; of several of one name at once one is made. */
export async function createEnvironment(
  uow: UnitOfWork,
  project: Project,
  { name, ...wish }: Wish & { readonly name: string },
): Promise<EnvironmentRow | Failure<'noAgent' | 'wrong'>> {
  if (wish.cluster_agent_id != null) return fail('noAgent');
  const inName = nameErrors(name);
  const errors = fieldErrors({ name: inName, ...wishErrors(wish) });
  if (errors === null) {
    const made = await insertEnvironment(uow, project, name, wish);
    return isFailure(made) ? wrong(await takenErrors(uow, project.id, name)) : made;
  }
  return wrong(inName.length > 0 ? errors : { ...(await takenErrors(uow, project.id, name)), ...errors });
}

const wrong = (errors: FieldErrors): Failure<'wrong'> => fail('wrong', { texts: sentences(errors) });
