import { type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import type { Columns, Transaction } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { getMemberRole } from '#domain/namespaces/projects.ts';
import type { Commit } from '#git/objects/object-reader.ts';
import type { Access } from './access.ts';

/**
 * An issue, merge request or epic, as the parent of notes and resource events. Endpoints that exist for several kinds
 * are declared once, by `forNoteables`.
 */
export type Issuable = ProjectIssuable | GroupIssuable;

/** The target of a note: an issuable, a commit or a snippet of a project. */
export type Noteable = Issuable | CommitNoteable | SnippetNoteable;

interface BaseNoteable {
  readonly id: number;
  /** Null if the author is not a user of this server. */
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

/** Returns an issue or merge request as the parent of notes. */
export function toProjectIssuable(
  type: ProjectIssuable['type'],
  project: Project,
  row: Columns<'merge_requests', 'id' | 'iid' | 'author_id' | 'discussion_locked'>,
): ProjectIssuable {
  const { id, iid, author_id: authorId, discussion_locked } = row;
  return { type, id, iid, authorId, project, locked: discussion_locked === true };
}

export interface GroupIssuable extends BaseNoteable {
  readonly type: 'Epic';
  readonly iid: number;
  readonly group: Group;
  readonly project?: undefined;
}

/** A commit as the target of notes; its `id` is 0 until it has its first note. */
export interface CommitNoteable extends BaseNoteable {
  readonly type: 'Commit';
  readonly project: Project;
  readonly group?: undefined;
  readonly commit: Commit;
}

/** A snippet of a project as the target of notes. */
export interface SnippetNoteable extends BaseNoteable {
  readonly type: 'Snippet';
  readonly project: Project;
  readonly group?: undefined;
}

/** Returns whether the discussion is locked and the caller is neither a member nor an administrator. */
export function isLockedOut(caller: Caller, { locked, project }: Noteable): boolean {
  // Role 0: no member.
  return locked && !isAdministrator(caller) && (project === undefined || getMemberRole(project) === 0);
}

/** A noteable that a signed-in caller may read. */
export interface NoteableContext<NoteableType extends Noteable = Issuable> {
  readonly noteable: NoteableType;
  readonly caller: SignedInCaller;
}

/** An issuable that the caller, signed in or not, may read. */
export interface IssuableContext<NoteableType extends Issuable = Issuable> {
  readonly noteable: NoteableType;
  readonly caller: Caller;
}

/** A type of noteable, as endpoint declarations use it. */
export interface NoteableKind<NoteableType extends Noteable = Noteable> {
  readonly type: NoteableType['type'];
  /** The noun with its article, for summaries. */
  readonly nounWithArticle: 'an issue' | 'a merge request' | 'an epic' | 'a commit' | 'a snippet';
  readonly path:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_id'
    | '/projects/:id/repository/commits/:sha'
    | '/projects/:id/snippets/:snippet_id';
  /** The parent whose abilities apply, for the labels of accesses. */
  readonly parentType: 'project' | 'group';
  /** Allows signed-in callers who may read the noteable; others get 404. */
  readAccess(): Access<NoteableContext<NoteableType>>;
  /**
   * Reloads the noteable and the caller's access in the transaction, before irreversible changes. Throws `AccessRevoked` if the
   * noteable is deleted or the caller may no longer read it.
   */
  reload(tx: Transaction, caller: SignedInCaller, noteable: NoteableType): Promise<NoteableContext<NoteableType>>;
}

/** A type of issuable, as endpoint declarations use it. */
export interface IssuableKind<NoteableType extends Issuable = Issuable> extends NoteableKind<NoteableType> {
  /** The path with the issuable's iid, its number in the project or group. */
  readonly iidPath:
    | '/projects/:id/issues/:issue_iid'
    | '/projects/:id/merge_requests/:merge_request_iid'
    | '/groups/:id/epics/:epic_iid';
  /** Returns access by `iidPath` for anybody or for users only. Callers who may not read the issuable get the created error. */
  accessByIid(
    callers: 'anybody' | 'users',
    createUnreadableError: () => unknown,
  ): Access<IssuableContext<NoteableType>>;
}

/** Type of the noteables of these kinds. */
type NoteablesOf<Kinds extends readonly unknown[]> = Kinds[number] extends infer Kind
  ? Kind extends NoteableKind<infer NoteableType>
    ? NoteableType
    : never
  : never;

type KindOf<Kinds extends readonly unknown[]> = Kinds[number] extends IssuableKind
  ? IssuableKind<Extract<NoteablesOf<Kinds>, Issuable>>
  : NoteableKind<NoteablesOf<Kinds>>;

/** Declares an endpoint for each kind: `export const [listIssueNotes, listMergeRequestNotes] = forNoteables(KINDS, (kind) => endpoint({ ... }))` */
export function forNoteables<const Kinds extends readonly NoteableKind[], Declaration>(
  kinds: Kinds,
  declare: (kind: KindOf<Kinds>) => Declaration,
): { readonly [Index in keyof Kinds]: Declaration } {
  return kinds.map((kind) => declare(kind as KindOf<Kinds>)) as { [Index in keyof Kinds]: Declaration };
}
