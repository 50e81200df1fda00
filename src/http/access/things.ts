import type { Project } from '../../access/projects.ts';
import type { SignedIn } from '../../identity/caller.ts';
import type { Access } from './access.ts';

/**
 * What people plan and talk about, as that sees it which hangs on it: notes, histories. What hangs on several kinds alike
 * is declared once, for each of them.
 */
export interface Thing {
  readonly type: 'Issue';
  readonly id: number;
  readonly iid: number;
  readonly project: Project;
  /** Only members take part in the discussion. */
  readonly locked: boolean;
}

export interface InThing {
  readonly thing: Thing;
  readonly caller: SignedIn;
}

/** One kind of things, as a declaration sees it. */
export interface ThingKind {
  readonly type: Thing['type'];
  readonly called: 'issue';
  readonly path: '/projects/:id/issues/:issue_iid';
  /** Signed-in callers who may read it; to others it is not there. */
  reading(): Access<InThing>;
}

/** `export const [listIssueNotes] = forThings([issueThing], (kind) => endpoint({ ... }))` */
export function forThings<const Kinds extends readonly ThingKind[], Made>(
  kinds: Kinds,
  declare: (kind: ThingKind) => Made,
): { readonly [Index in keyof Kinds]: Made } {
  return kinds.map(declare) as { [Index in keyof Kinds]: Made };
}
