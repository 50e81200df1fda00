import type { Parent } from '#http/access/parents.ts';

// Owners of variables: the three kinds differ in texts and limits.

export type VariableOwner =
  | { readonly type: 'instance' }
  | { readonly type: 'group' | 'project'; readonly id: number; readonly full_path: string };

export const INSTANCE_OWNER: VariableOwner = { type: 'instance' };

interface OwnerType {
  /** The noun in `404 ... Not Found`. */
  readonly title: string;
  readonly maxVariables: number;
  /** The plural noun in the error for exceeding the limit. */
  readonly limitNoun: string;
  /** The noun in messages of audit events. */
  readonly auditNoun: string;
  /** The first part of audit event names, such as `ci_variable_created`. */
  readonly auditEventPrefix: 'ci_variable' | 'ci_group_variable' | 'ci_instance_variable';
  readonly auditTargetType: string;
}

export const OWNER_TYPES = {
  project: {
    title: 'Variable',
    maxVariables: 8_000,
    limitNoun: 'project ci variables',
    auditNoun: 'ci variable',
    auditEventPrefix: 'ci_variable',
    auditTargetType: 'Ci::Variable',
  },
  group: {
    title: 'GroupVariable',
    maxVariables: 30_000,
    limitNoun: 'group ci variables',
    auditNoun: 'ci group variable',
    auditEventPrefix: 'ci_group_variable',
    auditTargetType: 'Ci::GroupVariable',
  },
  instance: {
    title: 'InstanceVariable',
    maxVariables: 25,
    limitNoun: 'ci instance level variables',
    auditNoun: 'ci instance variable',
    auditEventPrefix: 'ci_instance_variable',
    auditTargetType: 'Ci::InstanceVariable',
  },
} as const satisfies Record<VariableOwner['type'], OwnerType>;

/** Returns a group or project as the owner of variables. */
export function toVariableOwner({ type, id, full_path }: Parent): VariableOwner {
  return { type, id, full_path };
}

/** Returns the lock key for changes of an owner's variables, which keeps keys unique and the limit exact. */
export function variablesLockKey(owner: VariableOwner): string {
  return owner.type === 'instance' ? 'ci variables of the instance' : `ci variables of ${owner.type} ${owner.id}`;
}
