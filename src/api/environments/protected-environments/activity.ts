import type { AuditEventName } from '#activity/index.ts';
import type { Describe } from '#authorization/access-level-descriptions.ts';
import { describing } from '#authorization/protected-environments/access-level-descriptions.ts';
import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Element, type ElementKind, KINDS } from './access-levels.ts';

/** What is told of protections in the audit log (contract/activity.md Part 3). */

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

const about = (parent: Parent, { id, name }: Protection) => ({
  entity: {
    type: parent.type === 'group' ? ('Group' as const) : ('Project' as const),
    id: parent.id,
    path: parent.full_path,
  },
  target: { type: 'ProtectedEnvironment', id, details: name },
});

/** It has been protected, or is so no more. */
export async function recordProtection(
  uow: UnitOfWork,
  name: keyof typeof MESSAGES,
  parent: Parent,
  protection: Protection,
): Promise<void> {
  await uow.record({
    name,
    ...about(parent, protection),
    message: MESSAGES[name][parent.type](protection.name),
  });
}

const EVENTS = {
  deploy_access_levels: { event: 'protected_environment_deploy_access_level', change: 'deploy access level' },
  approval_rules: { event: 'protected_environment_approval_rule', change: 'approval rule' },
} as const satisfies Record<ElementKind, object>;

/** What a change has made of a protection: its count, then each element that went, was changed, or is new. */
export async function recordChanges(
  uow: UnitOfWork,
  parent: Parent,
  before: Protection,
  after: Protection,
): Promise<void> {
  const tell = (name: AuditEventName, change: string, sides: Sides) =>
    uow.record({
      name,
      ...about(parent, before),
      message: `Changed ${change} of ${before.name}`,
      details: { change, ...sides },
    });
  const [from, to] = [before, after].map(({ required_approval_count }) => String(required_approval_count));
  if (from !== to) await tell('protected_environment_updated', 'required_approval_count', { from, to });
  const elements = [before, after].flatMap((one) => KINDS.flatMap((kind): readonly Element[] => one[kind]));
  const describe = await describing(uow, elements);
  for (const kind of KINDS) {
    const { event, change } = EVENTS[kind];
    for (const { step, ...sides } of stepsOf(before[kind], after[kind], (element) => inWords(element, describe))) {
      await tell(`${event}_${step}`, change, sides);
    }
  }
}

/** What was, and what is; a side that there is not is left out. */
interface Sides {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

type Step = Sides & { readonly step: 'added' | 'updated' | 'deleted' };

function stepsOf(before: readonly Element[], after: readonly Element[], words: (element: Element) => string): Step[] {
  const left = new Map(after.map((element) => [element.id, words(element)]));
  const known = before.flatMap((element): Step[] => {
    const [from, to] = [words(element), left.get(element.id)];
    left.delete(element.id);
    if (to === undefined) return [{ step: 'deleted', from }];
    return from === to ? [] : [{ step: 'updated', from, to }];
  });
  return [...known, ...[...left.values()].map((to): Step => ({ step: 'added', to }))];
}

/** Whom an element admits; of a group which members, of a rule how many of them must approve. */
function inWords(element: Element, describe: Describe): string {
  const { group_id, group_inheritance_type, required_approvals } = element;
  const inherited = group_id !== null && group_inheritance_type === 1 ? ' (inherited members too)' : '';
  const approvals = required_approvals === undefined ? '' : ` (required approvals: ${required_approvals})`;
  return `${describe(element)}${inherited}${approvals}`;
}
