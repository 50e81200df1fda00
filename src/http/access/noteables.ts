import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { Transaction } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { getMemberRole } from '#domain/namespaces/projects.ts';
import type { Commit } from '#git/objects/object-reader.ts';
import type { Access } from './access.ts';

/**
 * What people plan and talk about, as that sees it which hangs on it: notes, histories. What hangs on several kinds alike
 * is declared once, for each of them.
 */
export type Issuable = ProjectIssuable | GroupIssuable;

/** What people comment on: commits too, of which nothing else is told. */
export type Noteable = Issuable | CommitNoteable;

interface BaseNoteable {
  readonly id: number;
  /** Null: nobody whom this server knows. */
  readonly authorId: number | null;
  /** Only members take part in the discussion. */
  readonly locked: boolean;
}

export interface ProjectIssuable extends BaseNoteable {
  readonly type: 'Issue' | 'MergeRequest';
  readonly iid: number;
  readonly project: Project;
  readonly group?: undefined;
}

export interface GroupIssuable extends BaseNoteable {
  readonly type: 'Epic';
  readonly iid: number;
  readonly group: Group;
  readonly project?: undefined;
}

/** Its id is 0 until something has been said on it. */
export interface CommitNoteable extends BaseNoteable {
  readonly type: 'Commit';
  readonly project: Project;
  readonly group?: undefined;
  readonly commit: Commit;
}

/** Is it locked, and the caller no member? He takes no part in the discussion then. */
export function isLockedOut(caller: Caller, { locked, project }: Noteable): boolean {
  return locked && !isAdministrator(caller) && (project === undefined || getMemberRole(project) === 0);
}

export interface NoteableContext<Of extends Noteable = Issuable> {
  readonly noteable: Of;
  readonly caller: SignedInCaller;
}

export interface IssuableContext<Of extends Issuable = Issuable> {
  readonly noteable: Of;
  readonly caller: Caller;
}

/** One kind of what people comment on, as a declaration sees it. */
export interface NoteableKind<Of extends Noteable = Noteable> {
  readonly type: Of['type'];
  /** With its article, for summaries. */
  readonly nounWithArticle: 'an issue' | 'a merge request' | 'an epic' | 'a commit';
  readonly path:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_id'
    | '/projects/:id/repository/commits/:sha';
  /** Whose abilities decide: in labels of access. */
  readonly parentType: 'project' | 'group';
  /** Signed-in callers who may read it; to others it is not there. */
  readAccess(): Access<NoteableContext<Of>>;
  /**
   * Thing and caller as they stand in the transaction, for what can't be taken back. Throws `AccessRevoked` when the caller
   * may read it no more, or it is gone.
   */
  reload(tx: Transaction, caller: SignedInCaller, thing: Of): Promise<NoteableContext<Of>>;
}

/** One kind of things. */
export interface IssuableKind<Of extends Issuable = Issuable> extends NoteableKind<Of> {
  /** By the number that its place has given it. */
  readonly iidPath:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_iid';
  /** Who calls by that path, the public too or users only; whoever may not read it is refused in these words. */
  accessByIid(callers: 'anybody' | 'users', unreadable: () => unknown): Access<IssuableContext<Of>>;
}

/** The things of these kinds. */
type NoteablesOf<Kinds extends readonly unknown[]> = Kinds[number] extends infer Kind
  ? Kind extends NoteableKind<infer Of>
    ? Of
    : never
  : never;

type KindOf<Kinds extends readonly unknown[]> = Kinds[number] extends IssuableKind
  ? IssuableKind<Extract<NoteablesOf<Kinds>, Issuable>>
  : NoteableKind<NoteablesOf<Kinds>>;

/** `export const [listIssueNotes, listMergeRequestNotes] = forThings(KINDS, (kind) => endpoint({ ... }))` */
export function forNoteables<const Kinds extends readonly NoteableKind[], Made>(
  kinds: Kinds,
  declare: (kind: KindOf<Kinds>) => Made,
): { readonly [Index in keyof Kinds]: Made } {
  return kinds.map((kind) => declare(kind as KindOf<Kinds>)) as { [Index in keyof Kinds]: Made };
}
