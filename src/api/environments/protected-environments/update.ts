import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import {
  diffElements,
  hasChanges,
  validateApprovalCount,
  validateElements,
  validateRulePrincipals,
} from './access-levels.ts';
import { recordProtectionChanges } from './activity.ts';
import { findAssignablePrincipals } from './allowed-principals.ts';
import type { ProtectionInput } from './protect.ts';
import { applyElementChanges, findProtection, updateProtectionRow } from './store.ts';

/** Applies all changes to a protection, or none if one is invalid. Omitted elements stay. */
export async function updateProtection(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
  input: ProtectionInput,
): Promise<EnvironmentProtection | Failure<'notFound' | 'invalid'>> {
  const before = await findProtection(uow, parent, name);
  if (before === null) return fail('notFound');
  const assignable = await findAssignablePrincipals(uow, parent, [
    ...input.deploy_access_levels,
    ...input.approval_rules,
  ]);
  const changes = diffElements(before, input, assignable);
  if (isFailure(changes)) return changes;
  const approvalCount = input.required_approval_count ?? before.required_approval_count;
  const messages = [
    ...validateElements(before, changes),
    ...validateRulePrincipals(before, input, assignable),
    ...validateApprovalCount('Required approval count', approvalCount, 0),
  ];
  if (messages.length > 0) return fail('invalid', { messages });
  if (approvalCount === before.required_approval_count && !hasChanges(changes)) return before;
  await applyElementChanges(uow, before.id, changes);
  await updateProtectionRow(uow, before.id, approvalCount);
  const after = (await findProtection(uow, parent, name))!;
  await recordProtectionChanges(uow, parent, before, after);
  return after;
}
