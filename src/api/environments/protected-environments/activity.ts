import type { AuditEventName } from '#activity/index.ts';
import { type AccessDescriber, loadEnvironmentAccessDescriber } from '#authorization/access-level-descriptions.ts';
import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { ELEMENT_KINDS, type ElementKind, type ProtectionElement } from './access-levels.ts';

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
export async function recordProtection(
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
export async function recordProtectionChanges(
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
