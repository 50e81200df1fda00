import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { elementProblems, firstElements, type GivenElements, outOfRange } from './access-levels.ts';
import { recordProtection } from './activity.ts';
import { assignableAmong } from './allowed-principals.ts';
import { nameProblems } from './name-validation.ts';
import { changeElements, insertProtection, protectionNamed } from './store.ts';

/** What a call says of a protection. */
export interface Wish extends GivenElements {
  readonly required_approval_count?: number | null | undefined;
}

const NO_ELEMENTS = { deploy_access_levels: [], approval_rules: [] };

/** Protects an environment of a project, or a tier of a group. Nobody is an element who may not be named. */
export async function protect(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
  wish: Wish,
): Promise<Protection | Failure<'exists' | 'invalid'>> {
  if ((await protectionNamed(uow, parent, name)) !== null) return fail('exists', { name });
  const count = wish.required_approval_count ?? 0;
  const assignable = await assignableAmong(uow, parent, [...wish.deploy_access_levels, ...wish.approval_rules]);
  const changes = firstElements(wish, assignable);
  const texts = [
    ...nameProblems(parent.type, name),
    ...elementProblems(NO_ELEMENTS, changes),
    ...outOfRange('Required approval count', count, 0),
  ];
  if (texts.length > 0) return fail('invalid', { texts });
  const id = await insertProtection(uow, parent, { name, required_approval_count: count });
  await changeElements(uow, id, changes);
  const made = (await protectionNamed(uow, parent, name))!;
  await recordProtection(uow, 'environment_protected', parent, made);
  return made;
}
