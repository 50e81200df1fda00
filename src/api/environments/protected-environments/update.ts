import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { changesAnything, elementChanges, elementProblems, outOfRange } from './access-levels.ts';
import { recordChanges } from './activity.ts';
import { assignableAmong } from './allowed-principals.ts';
import type { Wish } from './protect.ts';
import { changeElements, protectionNamed, touchProtection } from './store.ts';

/** Changes a protection as the wish says, all of it or nothing; what is not mentioned stays. */
export async function changeProtection(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
  wish: Wish,
): Promise<Protection | Failure<'notFound' | 'invalid'>> {
  const before = await protectionNamed(uow, parent, name);
  if (before === null) return fail('notFound');
  const assignable = await assignableAmong(uow, parent, [...wish.deploy_access_levels, ...wish.approval_rules]);
  const changes = elementChanges(before, wish, assignable);
  if (isFailure(changes)) return changes;
  const count = wish.required_approval_count ?? before.required_approval_count;
  const texts = [...elementProblems(before, changes), ...outOfRange('Required approval count', count, 0)];
  if (texts.length > 0) return fail('invalid', { texts });
  if (count === before.required_approval_count && !changesAnything(changes)) return before;
  await changeElements(uow, before.id, changes);
  await touchProtection(uow, before.id, count);
  const after = (await protectionNamed(uow, parent, name))!;
  await recordChanges(uow, parent, before, after);
  return after;
}
