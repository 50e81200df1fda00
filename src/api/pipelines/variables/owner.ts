import type { Parent } from '#http/access/parents.ts';

/** Owners of variables: the three kinds differ in texts and limits. */

export type VariableOwner =
  | { readonly type: 'instance' }
  | { readonly type: 'group' | 'project'; readonly id: number; readonly full_path: string };

export const INSTANCE_OWNER: VariableOwner = { type: 'instance' };

interface OwnerType {
  /** The noun in `404 ... Not Found`. */
  readonly title: string;
  readonly maxVariables: number;
  /** The noun in the error for exceeding the limit. */
  readonly all: string;
  /** The noun in the audit log. */
  readonly words: string;
  readonly event: 'ci_variable' | 'ci_group_variable' | 'ci_instance_variable';
  readonly target: string;
}

export const OWNER_TYPES = {
  project: {
    title: 'Variable',
    maxVariables: 8_000,
    all: 'project ci variables',
    words: 'ci variable',
    event: 'ci_variable',
    target: 'Ci::Variable',
  },
  group: {
    title: 'GroupVariable',
    maxVariables: 30_000,
    all: 'group ci variables',
    words: 'ci group variable',
    event: 'ci_group_variable',
    target: 'Ci::GroupVariable',
  },
  instance: {
    title: 'InstanceVariable',
    maxVariables: 25,
    all: 'ci instance level variables',
    words: 'ci instance variable',
    event: 'ci_instance_variable',
    target: 'Ci::InstanceVariable',
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
