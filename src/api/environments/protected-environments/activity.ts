import type { AuditEventName } from '#activity/index.ts';
import type { AccessDescriber } from '#authorization/access-level-descriptions.ts';
import { loadEnvironmentAccessDescriber } from '#authorization/protected-environments/access-level-descriptions.ts';
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

const auditContext = (parent: Parent, { id, name }: EnvironmentProtection) => ({
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
    ...auditContext(parent, protection),
    message: MESSAGES[name][parent.type](protection.name),
  });
}

const EVENTS = {
  deploy_access_levels: { event: 'protected_environment_deploy_access_level', change: 'deploy access level' },
  approval_rules: { event: 'protected_environment_approval_rule', change: 'approval rule' },
} as const satisfies Record<ElementKind, object>;

/** Records the changes to a protection: the count, then each deleted, updated and added element. */
export async function recordProtectionChanges(
  uow: UnitOfWork,
  parent: Parent,
  before: EnvironmentProtection,
  after: EnvironmentProtection,
): Promise<void> {
  const recordChange = (name: AuditEventName, change: string, sides: Sides) =>
    uow.record({
      name,
      ...auditContext(parent, before),
      message: `Changed ${change} of ${before.name}`,
      details: { change, ...sides },
    });
  const [from, to] = [before, after].map(({ required_approval_count }) => String(required_approval_count));
  if (from !== to) await recordChange('protected_environment_updated', 'required_approval_count', { from, to });
  const elements = [before, after].flatMap((one) =>
    ELEMENT_KINDS.flatMap((kind): readonly ProtectionElement[] => one[kind]),
  );
  const describe = await loadEnvironmentAccessDescriber(uow, elements);
  for (const kind of ELEMENT_KINDS) {
    const { event, change } = EVENTS[kind];
    for (const { step, ...sides } of diffElementTexts(before[kind], after[kind], (element) =>
      describeElement(element, describe),
    )) {
      await recordChange(`${event}_${step}`, change, sides);
    }
  }
}

/** The old and new value; a missing side is omitted. */
interface Sides {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type ElementStep = Sides & { readonly step: 'added' | 'updated' | 'deleted' };

function diffElementTexts(
  before: readonly ProtectionElement[],
  after: readonly ProtectionElement[],
  describe: (element: ProtectionElement) => string,
): ElementStep[] {
  const remainingTexts = new Map(after.map((element) => [element.id, describe(element)]));
  const knownSteps = before.flatMap((element): ElementStep[] => {
    const [from, to] = [describe(element), remainingTexts.get(element.id)];
    remainingTexts.delete(element.id);
    if (to === undefined) return [{ step: 'deleted', from }];
    return from === to ? [] : [{ step: 'updated', from, to }];
  });
  return [...knownSteps, ...[...remainingTexts.values()].map((to): ElementStep => ({ step: 'added', to }))];
}

/** Describes an element: its principal, inherited members and required approvals. */
function describeElement(element: ProtectionElement, describe: AccessDescriber): string {
  const { group_id, group_inheritance_type, required_approvals } = element;
  const inheritanceNote = group_id !== null && group_inheritance_type === 1 ? ' (inherited members too)' : '';
  const approvals = required_approvals === undefined ? '' : ` (required approvals: ${required_approvals})`;
  return `${describe(element)}${inheritanceNote}${approvals}`;
}
