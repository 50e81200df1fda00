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

/** The target of a note: an issuable or a commit. */
export type Noteable = Issuable | CommitNoteable;

interface BaseNoteable {
  readonly id: number;
  /** Null if the author is no user of this server. */
  readonly authorId: number | null;
  /** Whether only members may comment. */
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

/** Its id is 0 until it has its first note. */
export interface CommitNoteable extends BaseNoteable {
  readonly type: 'Commit';
  readonly project: Project;
  readonly group?: undefined;
  readonly commit: Commit;
}

/** Returns whether the discussion is locked and the caller is neither a member nor an administrator. */
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

/** A type of noteable, as endpoint declarations use it. */
export interface NoteableKind<Of extends Noteable = Noteable> {
  readonly type: Of['type'];
  /** The noun with its article, for summaries. */
  readonly nounWithArticle: 'an issue' | 'a merge request' | 'an epic' | 'a commit';
  readonly path:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_id'
    | '/projects/:id/repository/commits/:sha';
  /** The parent whose abilities apply, for the labels of accesses. */
  readonly parentType: 'project' | 'group';
  /** Allows signed-in callers who may read the noteable; others get 404. */
  readAccess(): Access<NoteableContext<Of>>;
  /**
   * Reloads the noteable and the caller's access in the transaction, before irreversible changes. Throws `AccessRevoked` if the
   * noteable is deleted or the caller may no longer read it.
   */
  reload(tx: Transaction, caller: SignedInCaller, thing: Of): Promise<NoteableContext<Of>>;
}

/** A type of issuable, as endpoint declarations use it. */
export interface IssuableKind<Of extends Issuable = Issuable> extends NoteableKind<Of> {
  /** The path with the issuable's iid, its number in the project or group. */
  readonly iidPath:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_iid';
  /** Access by `iidPath` for anybody or for users only. `unreadable` creates the error for callers who may not read it. */
  accessByIid(callers: 'anybody' | 'users', unreadable: () => unknown): Access<IssuableContext<Of>>;
}

/** The noteables of these kinds. */
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
