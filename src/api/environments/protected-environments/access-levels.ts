import type { ApprovalRule, Principal } from '#authorization/protected-environments/protected-environments.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** What becomes of the elements of a protection by those that a call gives (contract/environments.md Part 2). Pure. */

export type ElementKind = 'deploy_access_levels' | 'approval_rules';

export const KINDS: readonly ElementKind[] = ['deploy_access_levels', 'approval_rules'];

/** An element of either kind: only rules ask for approvals. */
export type Element = Principal & Partial<Pick<ApprovalRule, 'required_approvals'>>;
export type NewElement = Omit<Element, 'id'>;

type Said<T> = { readonly [Key in keyof T]?: T[Key] | null | undefined };

/** What it leaves out, or gives as null, is not said. */
export type GivenElement = Said<Element> & { readonly _destroy?: boolean | null | undefined };

/** Who may be named besides roles. */
export interface Assignable {
  readonly users: ReadonlySet<number>;
  readonly groups: ReadonlySet<number>;
}

interface ElementChanges {
  readonly added: readonly NewElement[];
  readonly updated: readonly { readonly before: Element; readonly after: Element }[];
  readonly removed: readonly Element[];
}

type OfBoth<T> = Readonly<Record<ElementKind, T>>;
export type Elements = OfBoth<readonly Element[]>;
export type GivenElements = OfBoth<readonly GivenElement[]>;
export type Changes = OfBoth<ElementChanges>;

/** Does it all change something? */
export function changesAnything(changes: Changes): boolean {
  return KINDS.some((kind) => Object.values(changes[kind]).some((elements) => elements.length > 0));
}

/** The elements of a protection that is to be: those given that name nobody who is not assignable. */
export function firstElements(given: GivenElements, assignable: Assignable): Changes {
  return ofBoth((kind) => ({ added: newElements(kind, given[kind], assignable), updated: [], removed: [] }));
}

/**
 * What the given elements, one after the other, make of those that stand: each with an `id` changes or removes that one,
 * each without adds one. Whoever names somebody who is not assignable is passed over, unless that one is named already.
 */
export function elementChanges(
  standing: Elements,
  given: GivenElements,
  assignable: Assignable,
): Changes | Failure<'notFound'> {
  let missing = false;
  const changes = ofBoth((kind) => {
    const now = new Map(standing[kind].map((element) => [element.id, element]));
    for (const wish of given[kind]) {
      if (wish.id == null) continue;
      const before = now.get(wish.id);
      if (before === undefined) missing = true;
      else if (wish._destroy === true) now.delete(wish.id);
      else if (mayName(assignable, wish, before)) now.set(wish.id, changedElement(before, wish));
    }
    const updated = standing[kind].flatMap((before) => {
      const after = now.get(before.id);
      return after === undefined || same(before, after) ? [] : [{ before, after }];
    });
    const removed = standing[kind].filter(({ id }) => !now.has(id));
    return { added: newElements(kind, given[kind], assignable), updated, removed };
  });
  return missing ? fail('notFound') : changes;
}

function ofBoth<T>(make: (kind: ElementKind) => T): OfBoth<T> {
  return { deploy_access_levels: make('deploy_access_levels'), approval_rules: make('approval_rules') };
}

function newElements(kind: ElementKind, given: readonly GivenElement[], assignable: Assignable): NewElement[] {
  return given
    .filter((wish) => wish.id == null && wish._destroy !== true && mayName(assignable, wish))
    .map((wish) => newElement(kind, wish));
}

function mayName({ users, groups }: Assignable, { user_id, group_id }: GivenElement, before?: Element): boolean {
  if (user_id != null && user_id !== before?.user_id && !users.has(user_id)) return false;
  return group_id == null || group_id === before?.group_id || groups.has(group_id);
}

function newElement(kind: ElementKind, wish: GivenElement): NewElement {
  const { required_approvals, group_inheritance_type } = wish;
  const element = { ...whomOf(wish), group_inheritance_type: group_inheritance_type ?? 0 };
  return kind === 'approval_rules' ? { ...element, required_approvals: required_approvals ?? 1 } : element;
}

function changedElement(before: Element, wish: GivenElement): Element {
  const { required_approvals, group_inheritance_type } = wish;
  const whom = whomOf(wish);
  return {
    ...before,
    ...(principalsIn(whom) > 0 && whom),
    ...(required_approvals != null && { required_approvals }),
    ...(group_inheritance_type != null && { group_inheritance_type }),
  };
}

type Whom = Pick<Element, 'access_level' | 'user_id' | 'group_id'>;

function whomOf({ access_level, user_id, group_id }: GivenElement): Whom {
  return { access_level: access_level ?? null, user_id: user_id ?? null, group_id: group_id ?? null };
}

function principalsIn({ access_level, user_id, group_id }: Whom): number {
  return [access_level, user_id, group_id].filter((one) => one !== null).length;
}

function same(one: Element, other: Element): boolean {
  return (Object.keys(one) as (keyof Element)[]).every((key) => one[key] === other[key]);
}

const MOST_APPROVALS = 5;

const TITLES: Readonly<Record<ElementKind, string>> = {
  deploy_access_levels: 'Deploy access levels',
  approval_rules: 'Approval rules',
};

/** What is wrong with the elements that stand once they are changed so, in words. */
export function elementProblems(standing: Elements, changes: Changes): string[] {
  return KINDS.flatMap((kind) => [...new Set(problemsOf(kind, standing[kind].length, changes[kind]))]);
}

function problemsOf(kind: ElementKind, standing: number, { added, updated, removed }: ElementChanges): string[] {
  const changed = [...updated.map(({ after }) => after), ...added];
  const isEmpty = kind === 'deploy_access_levels' && standing - removed.length + added.length === 0;
  return [
    ...(isEmpty ? [`${TITLES[kind]} is too short (minimum is 1 character)`] : []),
    ...(changed.some((element) => principalsIn(element) !== 1)
      ? [`${TITLES[kind]} base Exactly one of access_level, group_id, user_id must be present`]
      : []),
    ...changed.flatMap(({ required_approvals = 1 }) =>
      outOfRange(`${TITLES[kind]} required approvals`, required_approvals, 1),
    ),
  ];
}

/** Whether a number of approvals is what it may be. */
export function outOfRange(title: string, approvals: number, least: 0 | 1): string[] {
  if (approvals < least) return [`${title} must be greater than or equal to ${least}`];
  return approvals > MOST_APPROVALS ? [`${title} must be less than or equal to ${MOST_APPROVALS}`] : [];
}
