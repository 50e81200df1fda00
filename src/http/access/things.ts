import type { Group } from '../../access/groups.ts';
import type { Project } from '../../access/projects.ts';
import { memberRole } from '../../access/projects.ts';
import type { Transaction } from '../../database/database.ts';
import type { ThingName } from '../../history/index.ts';
import { type Caller, isAdministrator, type SignedIn } from '../../identity/caller.ts';
import type { Access } from './access.ts';

/**
 * What people plan and talk about, as that sees it which hangs on it: notes, histories. What hangs on several kinds alike
 * is declared once, for each of them.
 */
export type Thing = ThingOfProject | ThingOfGroup;

interface AnyThing {
  readonly id: number;
  readonly iid: number;
  /** Only members take part in the discussion. */
  readonly locked: boolean;
}

export interface ThingOfProject extends AnyThing {
  readonly type: 'Issue' | 'MergeRequest';
  readonly project: Project;
  readonly group?: undefined;
}

export interface ThingOfGroup extends AnyThing {
  readonly type: 'Epic';
  readonly group: Group;
  readonly project?: undefined;
}

/** Is it locked, and the caller no member? He takes no part in the discussion then. */
export function isShutOut(caller: Caller, { locked, project }: Thing): boolean {
  return locked && !isAdministrator(caller) && (project === undefined || memberRole(project) === 0);
}

export interface InThing<Of extends Thing = Thing> {
  readonly thing: Of;
  readonly caller: SignedIn;
}

export interface NumberedThing<Of extends Thing = Thing> {
  readonly thing: Of;
  readonly caller: Caller;
}

/** One kind of things, as a declaration sees it. */
export interface ThingKind<Of extends Thing = Thing> {
  readonly type: Of['type'];
  readonly called: ThingName;
  /** With its article, for summaries. */
  readonly aThing: 'an issue' | 'a merge request' | 'an epic';
  readonly path:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_id';
  /** Whose abilities decide: in labels of access. */
  readonly place: 'project' | 'group';
  /** Signed-in callers who may read it; to others it is not there. */
  reading(): Access<InThing<Of>>;
  /** By the number that its place has given it. */
  readonly numberedPath:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_iid';
  /** Who calls by that path, the public too or users only; whoever may not read it is refused in these words. */
  numbered(callers: 'anybody' | 'users', unreadable: () => unknown): Access<NumberedThing<Of>>;
  /**
   * Thing and caller as they stand in the transaction, for what can't be taken back. Throws `AccessLost` when the caller
   * may read it no more, or it is gone.
   */
  again(tx: Transaction, caller: SignedIn, thing: Of): Promise<InThing<Of>>;
}

/** The things of these kinds. */
type OfKinds<Kinds extends readonly unknown[]> = Kinds[number] extends infer Kind
  ? Kind extends ThingKind<infer Of>
    ? Of
    : never
  : never;

/** `export const [listIssueNotes, listMergeRequestNotes] = forThings(KINDS, (kind) => endpoint({ ... }))` */
export function forThings<const Kinds extends readonly ThingKind[], Made>(
  kinds: Kinds,
  declare: (kind: ThingKind<OfKinds<Kinds>>) => Made,
): { readonly [Index in keyof Kinds]: Made } {
  return kinds.map((kind) => declare(kind as ThingKind<OfKinds<Kinds>>)) as { [Index in keyof Kinds]: Made };
}
