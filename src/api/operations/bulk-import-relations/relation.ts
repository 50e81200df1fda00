import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parameters, ParameterValues } from '#http/parameters/declarations.ts';
import type { Failure } from '#runtime/failure.ts';

/**
 * What is copied from one server to another, relation by relation (contract/operations.md §1.4 "Order").
 *
 * A relation is a value: where the source lists its elements, which fields of an element are read, and how one becomes a row
 * here. Everything else is the engine's (`bulk-import-engine/`): pages, retries, limits, progress, counts, failures, that
 * nothing is stored twice, that a cancelled import stores nothing more. How to write one (`labels.ts` is the worked example):
 *
 * 1. A file `bulk-import-relations/<relation>.ts` that exports `relation({ ... })`, and its place in the lists of `index.ts`.
 * 2. `list` gives the path below `/api/v4` with its query, for groups, projects or both; the engine adds the page.
 * 3. `fields` declares what is read of an element as parameters of an endpoint are declared, by types which have limits
 *    (`required(integer)`, `optional(title)`, `optional(hash({ ... }))`, `optional(arrayOf(...))`); what isn't declared is not
 *    looked at. The source is not trusted: what does not fit is a failure record of that element, and the next one follows.
 *    Every element has an `id`; where the source gives none, `key` says what tells it from the others.
 * 4. `store` makes it a row by the verbs that endpoints use, in an act of the importing user, and returns the row's id; null
 *    when there is nothing to store (a member whom nobody here is). A Failure rolls back and becomes a failure record. The engine
 *    writes down (import, entity, kind, key) -> id in the same transaction, so `store` is never called again for it. It may be
 *    run again as any transaction may, and holds SQL only. `turn` names the turns that its transaction needs.
 * 5. `people` names the users of the source that `store` will ask `users` for: they are looked up before.
 * 6. `children` are lists below each element, such as notes: they are asked for when the element is there.
 * 7. `before` runs once when the source has told of the first page: to take away what the destination has by itself.
 *
 * What an earlier element became, of this entity or of another of the import, is told by `storedAs`. Nothing that is stored
 * may send mail, start a pipeline or write activity.
 */
interface RelationDeclaration<Fields extends Parameters, ChildFields extends Parameters> {
  /** As `stats`, failures and the contract name it. */
  readonly name: string;
  /** What its elements are called in `bulk_import_objects`: `label`. */
  readonly kind: string;
  readonly list: {
    readonly group?: (source: SourcePlace) => string;
    readonly project?: (source: SourcePlace) => string;
  };
  /** Shown in `stats`. */
  readonly counted?: boolean;
  /** False: the relation is skipped (members, when the request has said so). */
  readonly wanted?: (target: Target) => boolean;
  /** Answers of the source to the first page that mean that it has no such thing: skipped without a failure. */
  readonly silentOn?: readonly number[];
  readonly fields: Fields;
  /** What tells an element from the others of its kind in the source; default its `id`. At most 255 characters. */
  readonly key?: (element: ParameterValues<Fields>) => string | number;
  readonly people?: (element: ParameterValues<Fields>) => readonly (SourceUser | null | undefined)[];
  /** What failure records say of an element: of issues, merge requests, epics and milestones alone. */
  readonly told?: (element: ParameterValues<Fields>) => ImportProblem;
  readonly turn?: (target: Target) => string | readonly string[];
  readonly before?: (uow: UnitOfWork<SignedInCaller>, target: Target) => Promise<void>;
  readonly store: (
    uow: UnitOfWork<SignedInCaller>,
    target: Target,
    element: ParameterValues<Fields>,
    users: Users,
  ) => Promise<StoredElement>;
  readonly children?: readonly ChildDeclaration<ParameterValues<Fields>, ChildFields>[];
}

/** A list below each element: its failures bear the names of both, `issues, notes`. */
interface ChildDeclaration<Element, Fields extends Parameters> {
  readonly name: string;
  readonly kind: string;
  readonly list: (source: SourcePlace, element: Element) => string;
  readonly fields: Fields;
  readonly key?: (child: ParameterValues<Fields>) => string | number;
  readonly people?: (child: ParameterValues<Fields>) => readonly (SourceUser | null | undefined)[];
  readonly turn?: (target: Target) => string | readonly string[];
  readonly store: (
    uow: UnitOfWork<SignedInCaller>,
    target: Target,
    /** `id`: that of the row which the element has become. */
    parent: { readonly id: number; readonly element: Element },
    child: ParameterValues<Fields>,
    users: Users,
  ) => Promise<StoredElement>;
}

/** The id of the new row; null: nothing is to be stored. */
export type StoredElement = number | null | Failure;

export interface ImportProblem {
  readonly title: string | null | undefined;
  readonly url: string | null | undefined;
}

/** The group or project of the source. */
export interface SourcePlace {
  readonly kind: 'group' | 'project';
  /** The source's id of it. */
  readonly id: number;
  readonly fullPath: string;
  /** It came below another one, whose members it shares; not by the request itself. */
  readonly isChild: boolean;
}

/** What is filled. */
export interface Target {
  readonly importId: number;
  readonly entityId: number;
  readonly source: SourcePlace;
  /** The new group or project, read anew in each transaction, with the importing user's role. */
  readonly place: GroupOrProject;
  readonly migrateProjects: boolean;
  readonly migrateMemberships: boolean;
}

/** A user as elements of the source name him. */
export interface SourceUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** Who the users of the source are here: everybody that `people` has named is known. */
export interface Users {
  /** The user's id; null: nobody here is that user. */
  of(user: SourceUser | null | undefined): number | null;
}

/**
 * The first relation of an entity, which makes the group or project itself: whatever fails here is the end of the entity. The
 * engine asks for `GET /groups/<path>` or `/projects/<path>`, sees that it is the one that was meant, and keeps what `create` returns.
 */
interface CreationDeclaration<Fields extends Parameters> {
  readonly name: 'group' | 'project';
  readonly fields: Fields;
  readonly turn?: (wanted: RelationTarget) => string | readonly string[];
  readonly create: (
    uow: UnitOfWork<SignedInCaller>,
    wanted: RelationTarget,
    element: ParameterValues<Fields>,
  ) => Promise<number | Failure>;
}

/** Where the new group or project shall be. */
export interface RelationTarget {
  readonly importId: number;
  /** The group in which it is made, in which the importing user may; null: a top-level group. */
  readonly parent: Group | null;
  readonly slug: string;
  /** The names of those that are configured. */
  readonly storages: readonly string[];
  /** That of the import's first groups and projects is looked at; what is below them is seen by whoever sees those. */
  readonly isChild: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds relations of every kind of element
export type Relation = RelationDeclaration<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type ChildRelation = ChildDeclaration<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Creation = CreationDeclaration<any>;

/** A relation that lists elements; its types are those of its fields. */
export function relation<const Fields extends Parameters, const ChildFields extends Parameters = Parameters>(
  declared: RelationDeclaration<Fields, ChildFields>,
): Relation {
  return declared;
}

/** A list below the elements of several relations. */
// biome-ignore lint/suspicious/noExplicitAny: they are elements of every kind
export function childRelation<const Fields extends Parameters>(declared: ChildDeclaration<any, Fields>): ChildRelation {
  return declared;
}

/** The relation that makes a group or a project. */
export function creation<const Fields extends Parameters>(declared: CreationDeclaration<Fields>): Creation {
  return declared;
}

/**
 * What an element of the source has become in this import: in this entity first, else in another one (an issue's epic came with a
 * group above). Null when it did not come along. index: bulk_import_objects_pkey
 */
export async function storedAs(
  db: Reader,
  { importId, entityId }: Pick<Target, 'importId' | 'entityId'>,
  kind: string,
  key: string | number,
): Promise<number | null> {
  const rows = await db
    .selectFrom('bulk_import_objects')
    .select(['entity_id', 'local_id'])
    .where('bulk_import_id', '=', importId)
    .where('kind', '=', kind)
    .where('source_key', '=', String(key))
    .orderBy('entity_id')
    .execute();
  return (rows.find((row) => row.entity_id === entityId) ?? rows[0])?.local_id ?? null;
}
