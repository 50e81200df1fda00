import type { AuditEventName } from '#activity/index.ts';
import type { AccessDescriber } from '#authorization/access-level-descriptions.ts';
import { loadEnvironmentAccessDescriber } from '#authorization/access-level-descriptions.ts';
import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { listMemberSources, loadEffectiveMemberships, type MemberSource } from '#domain/members/memberships.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { ENVIRONMENT_TIERS } from '../environment-model/index.ts';
import {
  type AssignablePrincipals,
  createElements,
  diffElements,
  ELEMENT_KINDS,
  type ElementInput,
  type ElementInputs,
  type ElementKind,
  hasChanges,
  type ProtectionElement,
  validateApprovalCount,
  validateElements,
  validateRulePrincipals,
} from './access-levels.ts';
import {
  applyElementChanges,
  deleteProtectionRow,
  findProtection,
  insertProtection,
  updateProtectionRow,
} from './store.ts';

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

/** Deletes a protection and returns its last state. */
export async function unprotectEnvironment(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
): Promise<EnvironmentProtection | Failure<'notFound'>> {
  const protection = await findProtection(uow, parent, name);
  if (protection === null) return fail('notFound');
  await deleteProtectionRow(uow, protection.id);
  await recordProtection(uow, 'environment_unprotected', parent, protection);
  return protection;
}

/** The attributes of a protection in a request. */
interface ProtectionInput extends ElementInputs {
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

// Validation of names of protected environments: an environment name in projects, a tier in groups.

const MAX_LENGTH = 255;

/** Returns the error messages for the name of a protection. */
function validateProtectionName(owner: 'group' | 'project', name: string): string[] {
  if (owner === 'group') {
    return ENVIRONMENT_TIERS.some((tier) => tier === name)
      ? []
      : [`Name must be one of environment tiers: ${ENVIRONMENT_TIERS.join(', ')}.`];
  }
  if (name.trim() === '') return ["Name can't be blank"];
  return [...name].length > MAX_LENGTH ? [`Name is too long (maximum is ${MAX_LENGTH} characters)`] : [];
}

// Filters the principals that elements may name (contract/environments.md Parts 2 and 3).

/** The minimum role of members who may be named. */
const MINIMUM_ROLE = { group: MAINTAINER, project: DEVELOPER } as const;

/** Returns the users and groups in the inputs that elements of this group or project may name. */
async function findAssignablePrincipals(
  db: Reader,
  parent: MemberSource,
  inputs: readonly ElementInput[],
): Promise<AssignablePrincipals> {
  const listIds = (key: 'user_id' | 'group_id') => [...new Set(inputs.flatMap((input) => input[key] ?? []))];
  const [userIds, groupIds] = [listIds('user_id'), listIds('group_id')];
  return {
    users: userIds.length === 0 ? new Set() : await filterMembers(db, parent, userIds),
    // Projects cannot be shared with groups.
    groups:
      groupIds.length === 0 || parent.type === 'project' ? new Set() : await filterGroups(db, parent.id, groupIds),
  };
}

/** Returns the ids of these users that are members with the minimum role, directly or inherited. */
async function filterMembers(db: Reader, parent: MemberSource, userIds: readonly number[]): Promise<Set<number>> {
  const memberships = await loadEffectiveMemberships(db, await listMemberSources(db, parent), userIds);
  const eligibleMemberships = [...memberships.values()].filter(({ access_level, expires_at }) => {
    return access_level >= MINIMUM_ROLE[parent.type] && (expires_at === null || expires_at > db.today);
  });
  return new Set(eligibleMemberships.map(({ user_id }) => user_id));
}

/** Returns the ids of these groups that are the group itself or a descendant. index: namespace_closure_pkey */
async function filterGroups(db: Reader, groupId: number, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('namespace_closure')
    .select('descendant_id')
    .where('ancestor_id', '=', groupId)
    .where((eb) => isInIds(db, eb.ref('descendant_id'), ids))
    .execute();
  return new Set(rows.map(({ descendant_id }) => descendant_id));
}

// Audit events of protections (contract/activity.md Part 3).

const MESSAGES = {
  environment_protected: {
    group: (tier: string) => `Protected environments of ${tier} tier`,
    project: (name: string) => `Protected an environment: ${name}`,
  },
  environment_unprotected: {
    group: (tier: string) => `Unprotected environments of ${tier} tier`,
    project: (name: string) => `Unprotected an environment: ${name}`,
  },
} as const;

const toAuditContext = (parent: Parent, { id, name }: EnvironmentProtection) => ({
  entity: {
    type: parent.type === 'group' ? ('Group' as const) : ('Project' as const),
    id: parent.id,
    path: parent.full_path,
  },
  target: { type: 'ProtectedEnvironment', id, details: name },
});

/** Records that an environment was protected or unprotected. */
async function recordProtection(
  uow: UnitOfWork,
  name: keyof typeof MESSAGES,
  parent: Parent,
  protection: EnvironmentProtection,
): Promise<void> {
  await uow.record({
    name,
    ...toAuditContext(parent, protection),
    message: MESSAGES[name][parent.type](protection.name),
  });
}

const EVENTS = {
  deploy_access_levels: { event: 'protected_environment_deploy_access_level', change: 'deploy access level' },
  approval_rules: { event: 'protected_environment_approval_rule', change: 'approval rule' },
} as const satisfies Record<ElementKind, object>;

/** Records the changes to a protection: the approval count, then each deleted, updated and added element. */
async function recordProtectionChanges(
  uow: UnitOfWork,
  parent: Parent,
  before: EnvironmentProtection,
  after: EnvironmentProtection,
): Promise<void> {
  const recordChange = (name: AuditEventName, change: string, values: ChangedValues) =>
    uow.record({
      name,
      ...toAuditContext(parent, before),
      message: `Changed ${change} of ${before.name}`,
      details: { change, ...values },
    });
  const [from, to] = [before, after].map(({ required_approval_count }) => String(required_approval_count));
  if (from !== to) await recordChange('protected_environment_updated', 'required_approval_count', { from, to });
  const elements = [before, after].flatMap((protection) =>
    ELEMENT_KINDS.flatMap((kind): readonly ProtectionElement[] => protection[kind]),
  );
  const describe = await loadEnvironmentAccessDescriber(uow, elements);
  for (const kind of ELEMENT_KINDS) {
    const { event, change } = EVENTS[kind];
    for (const { action, ...values } of diffElementTexts(before[kind], after[kind], (element) =>
      describeElement(element, describe),
    )) {
      await recordChange(`${event}_${action}`, change, values);
    }
  }
}

/** The old and the new value. `from` is missing for an added element, `to` for a deleted one. */
interface ChangedValues {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type ElementAuditChange = ChangedValues & { readonly action: 'added' | 'updated' | 'deleted' };

function diffElementTexts(
  before: readonly ProtectionElement[],
  after: readonly ProtectionElement[],
  describe: (element: ProtectionElement) => string,
): ElementAuditChange[] {
  const remainingTexts = new Map(after.map((element) => [element.id, describe(element)]));
  const existingChanges = before.flatMap((element): ElementAuditChange[] => {
    const [from, to] = [describe(element), remainingTexts.get(element.id)];
    remainingTexts.delete(element.id);
    if (to === undefined) return [{ action: 'deleted', from }];
    return from === to ? [] : [{ action: 'updated', from, to }];
  });
  return [
    ...existingChanges,
    ...[...remainingTexts.values()].map((to): ElementAuditChange => ({ action: 'added', to })),
  ];
}

/** Describes an element: its principal, inherited members and required approvals. */
function describeElement(element: ProtectionElement, describe: AccessDescriber): string {
  const { group_id, group_inheritance_type, required_approvals } = element;
  const inheritanceNote = group_id !== null && group_inheritance_type === 1 ? ' (inherited members too)' : '';
  const approvals = required_approvals === undefined ? '' : ` (required approvals: ${required_approvals})`;
  return `${describe(element)}${inheritanceNote}${approvals}`;
}
