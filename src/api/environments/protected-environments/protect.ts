import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  createElements,
  type ElementInputs,
  validateApprovalCount,
  validateElements,
  validateRulePrincipals,
} from './access-levels.ts';
import { recordProtection } from './activity.ts';
import { findAssignablePrincipals } from './allowed-principals.ts';
import { validateProtectionName } from './name-validation.ts';
import { applyElementChanges, findProtection, insertProtection } from './store.ts';

/** The attributes of a protection in a request. */
export interface ProtectionInput extends ElementInputs {
  readonly required_approval_count?: number | null | undefined;
}

const NO_ELEMENTS = { deploy_access_levels: [], approval_rules: [] };

/**
 * Protects an environment of a project or a tier of a group. Deploy access levels with
 * unassignable principals are skipped; approval rules with unassignable principals are rejected.
 */
export async function protectEnvironment(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
  input: ProtectionInput,
): Promise<EnvironmentProtection | Failure<'exists' | 'invalid'>> {
  if ((await findProtection(uow, parent, name)) !== null) return fail('exists', { name });
  const approvalCount = input.required_approval_count ?? 0;
  const assignable = await findAssignablePrincipals(uow, parent, [
    ...input.deploy_access_levels,
    ...input.approval_rules,
  ]);
  const changes = createElements(input, assignable);
  const messages = [
    ...validateProtectionName(parent.type, name),
    ...validateElements(NO_ELEMENTS, changes),
    ...validateRulePrincipals(NO_ELEMENTS, input, assignable),
    ...validateApprovalCount('Required approval count', approvalCount, 0),
  ];
  if (messages.length > 0) return fail('invalid', { messages });
  const id = await insertProtection(uow, parent, { name, required_approval_count: approvalCount });
  await applyElementChanges(uow, id, changes);
  const protection = (await findProtection(uow, parent, name))!;
  await recordProtection(uow, 'environment_protected', parent, protection);
  return protection;
}
