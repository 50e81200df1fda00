import type { ApprovalRule, Principal } from '#authorization/protected-environments/protected-environments.ts';
import type { NullablePartial } from '#http/parameters/declarations.ts';
import { type Failure, fail } from '#runtime/failure.ts';

// Computes changes to the deploy access levels and approval rules of a protection (contract/environments.md Part 2). Pure.

export type ElementKind = 'deploy_access_levels' | 'approval_rules';

export const ELEMENT_KINDS: readonly ElementKind[] = ['deploy_access_levels', 'approval_rules'];

/** An element of either kind; only rules have `required_approvals`. */
export type ProtectionElement = Principal & Partial<Pick<ApprovalRule, 'required_approvals'>>;
type NewProtectionElement = Omit<ProtectionElement, 'id'>;

/** An element in a request; absent and null fields are not set. */
export type ElementInput = NullablePartial<ProtectionElement> & { readonly _destroy?: boolean | null | undefined };

/** The users and groups that elements may name. */
export interface AssignablePrincipals {
  readonly users: ReadonlySet<number>;
  readonly groups: ReadonlySet<number>;
}

interface ElementChanges {
  readonly added: readonly NewProtectionElement[];
  readonly updated: readonly { readonly before: ProtectionElement; readonly after: ProtectionElement }[];
  readonly removed: readonly ProtectionElement[];
}

type ByKind<T> = Readonly<Record<ElementKind, T>>;
type ProtectionElements = ByKind<readonly ProtectionElement[]>;
export type ElementInputs = ByKind<readonly ElementInput[]>;
export type ProtectionChanges = ByKind<ElementChanges>;

/** Returns whether there are any changes. */
export function hasChanges(changes: ProtectionChanges): boolean {
  return ELEMENT_KINDS.some((kind) => Object.values(changes[kind]).some((elements) => elements.length > 0));
}

/**
 * Returns the elements of a new protection as added elements. Elements with unassignable principals are skipped
 * (`validateRulePrincipals` rejects such rules).
 */
export function createElements(inputs: ElementInputs, assignable: AssignablePrincipals): ProtectionChanges {
  return byKind((kind) => ({ added: toNewElements(kind, inputs[kind], assignable), updated: [], removed: [] }));
}

/**
 * Compares the requested elements with the existing ones, in order. An element with an `id` updates or removes that element,
 * other elements are added. Fails with `notFound` if an `id` is unknown.
 * Elements with unassignable principals are skipped, unless the principal is unchanged.
 */
export function diffElements(
  existingElements: ProtectionElements,
  inputs: ElementInputs,
  assignable: AssignablePrincipals,
): ProtectionChanges | Failure<'notFound'> {
  let hasUnknownId = false;
  const changes = byKind((kind) => {
    const remainingElements = new Map(existingElements[kind].map((element) => [element.id, element]));
    for (const input of inputs[kind]) {
      if (input.id == null) continue;
      const before = remainingElements.get(input.id);
      if (before === undefined) hasUnknownId = true;
      else if (input._destroy === true) remainingElements.delete(input.id);
      else if (isAssignable(assignable, input, before)) remainingElements.set(input.id, mergeElement(before, input));
    }
    const updated = existingElements[kind].flatMap((before) => {
      const after = remainingElements.get(before.id);
      return after === undefined || isSameElement(before, after) ? [] : [{ before, after }];
    });
    const removedElements = existingElements[kind].filter(({ id }) => !remainingElements.has(id));
    return { added: toNewElements(kind, inputs[kind], assignable), updated, removed: removedElements };
  });
  return hasUnknownId ? fail('notFound') : changes;
}

function byKind<T>(create: (kind: ElementKind) => T): ByKind<T> {
  return { deploy_access_levels: create('deploy_access_levels'), approval_rules: create('approval_rules') };
}

function toNewElements(
  kind: ElementKind,
  inputs: readonly ElementInput[],
  assignable: AssignablePrincipals,
): NewProtectionElement[] {
  return inputs
    .filter((input) => input.id == null && input._destroy !== true && isAssignable(assignable, input))
    .map((input) => toNewElement(kind, input));
}

function isAssignable(
  { users, groups }: AssignablePrincipals,
  { user_id, group_id }: ElementInput,
  before?: ProtectionElement,
): boolean {
  if (user_id != null && user_id !== before?.user_id && !users.has(user_id)) return false;
  return group_id == null || group_id === before?.group_id || groups.has(group_id);
}

function toNewElement(kind: ElementKind, input: ElementInput): NewProtectionElement {
  const { required_approvals, group_inheritance_type } = input;
  // Inheritance type 0: only direct members of the group.
  const element = { ...toPrincipal(input), group_inheritance_type: group_inheritance_type ?? 0 };
  return kind === 'approval_rules' ? { ...element, required_approvals: required_approvals ?? 1 } : element;
}

function mergeElement(before: ProtectionElement, input: ElementInput): ProtectionElement {
  const { required_approvals, group_inheritance_type } = input;
  const principal = toPrincipal(input);
  return {
    ...before,
    // Without a principal in the input, the existing one stays.
    ...(countPrincipals(principal) > 0 && principal),
    ...(required_approvals != null && { required_approvals }),
    ...(group_inheritance_type != null && { group_inheritance_type }),
  };
}

type PrincipalFields = Pick<ProtectionElement, 'access_level' | 'user_id' | 'group_id'>;

function toPrincipal({ access_level, user_id, group_id }: ElementInput): PrincipalFields {
  return { access_level: access_level ?? null, user_id: user_id ?? null, group_id: group_id ?? null };
}

function countPrincipals({ access_level, user_id, group_id }: PrincipalFields): number {
  return [access_level, user_id, group_id].filter((value) => value !== null).length;
}

function isSameElement(one: ProtectionElement, other: ProtectionElement): boolean {
  return (Object.keys(one) as (keyof ProtectionElement)[]).every((key) => one[key] === other[key]);
}

const MAX_APPROVALS = 5;

const TITLES: Readonly<Record<ElementKind, string>> = {
  deploy_access_levels: 'Deploy access levels',
  approval_rules: 'Approval rules',
};

/** Returns error messages for the elements after the changes. */
export function validateElements(existingElements: ProtectionElements, changes: ProtectionChanges): string[] {
  return ELEMENT_KINDS.flatMap((kind) => [
    ...new Set(validateKind(kind, existingElements[kind].length, changes[kind])),
  ]);
}

function validateKind(kind: ElementKind, existingCount: number, { added, updated, removed }: ElementChanges): string[] {
  const changedElements = [...updated.map(({ after }) => after), ...added];
  const isEmpty = kind === 'deploy_access_levels' && existingCount - removed.length + added.length === 0;
  return [
    ...(isEmpty ? [`${TITLES[kind]} is too short (minimum is 1 character)`] : []),
    ...(changedElements.some((element) => countPrincipals(element) !== 1)
      ? [`${TITLES[kind]} base Exactly one of access_level, group_id, user_id must be present`]
      : []),
    ...changedElements.flatMap(({ required_approvals = 1 }) =>
      validateApprovalCount(`${TITLES[kind]} required approvals`, required_approvals, 1),
    ),
  ];
}

/**
 * Returns error messages if a rule names a user or group that is not assignable: without the rule, deployments would
 * need fewer approvals than requested.
 */
export function validateRulePrincipals(
  existingElements: ProtectionElements,
  { approval_rules }: ElementInputs,
  assignable: AssignablePrincipals,
): string[] {
  const isRejected = (input: ElementInput) => {
    const before = existingElements.approval_rules.find(({ id }) => id === input.id);
    return input._destroy !== true && !isAssignable(assignable, input, before);
  };
  return approval_rules.some(isRejected) ? ['Approval rules base User or group is not eligible'] : [];
}

/** Returns error messages if the number of approvals is out of range. */
export function validateApprovalCount(title: string, approvals: number, minimum: 0 | 1): string[] {
  if (approvals < minimum) return [`${title} must be greater than or equal to ${minimum}`];
  return approvals > MAX_APPROVALS ? [`${title} must be less than or equal to ${MAX_APPROVALS}`] : [];
}
