import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { GroupOrProject } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parameters, ParameterValues } from '#http/parameters/declarations.ts';
import type { Failure } from '#runtime/failure.ts';

/**
 * Declares how imports copy data from another server, one relation at a time (contract/operations.md §1.4 "Order").
 *
 * A relation is a value: where the source lists its elements, which fields of an element are read, and how an element becomes
 * a local row. The engine (`bulk-import-engine/`) does everything else: pages, retries, limits, progress, counts, failures. It
 * stores no element twice, and none for a cancelled import. How to write one (`labels` in `planning.ts` is the worked example):
 *
 * 1. A file of this folder exports `declareRelation({ ... })`, and the lists of `index.ts` contain it.
 * 2. `list` gives the path below `/api/v4` with its query, for groups, projects or both; the engine adds the page.
 * 3. `fields` declares the fields of an element like the parameters of an endpoint, with limited types (`required(integer)`,
 *    `optional(title)`, `optional(object({ ... }))`, `optional(arrayOf(...))`); undeclared fields are ignored. The source is
 *    untrusted: an invalid element becomes a failure record, and the next element follows. Every element has an `id`; where the
 *    source has none, `key` returns another unique key.
 * 4. `store` creates the row with the functions that endpoints use, in a unit of work of the importing user. It returns the id of
 *    the row, or null if there is nothing to store (a member without a local user). A Failure rolls back and becomes a failure
 *    record. The engine stores the mapping (import, entity, kind, key) -> id in the same transaction, so `store` is never called
 *    again for the element. The transaction may be retried, so `store` runs SQL only. `lock` names its advisory locks.
 * 5. `referencedUsers` returns the source users that `store` looks up in `users`: the engine maps them first.
 * 6. `children` declares the lists of each element, such as notes. The engine fetches them after the element is stored.
 * 7. `before` runs once, after the first page is fetched and before an element is stored. It deletes default rows of the
 *    destination.
 *
 * `findStoredObject` returns the local id of an earlier element of the same import. Storing an element must not send mail, start
 * a pipeline or write activity.
 */
interface RelationDeclaration<Fields extends Parameters, ChildFields extends Parameters> {
  /** Name of the relation in `stats`, failures and the contract. */
  readonly name: string;
  /** Value of `bulk_import_objects.kind` for its elements, such as `label`. */
  readonly kind: string;
  readonly list: {
    readonly group?: (source: SourceGroupOrProject) => string;
    readonly project?: (source: SourceGroupOrProject) => string;
  };
  /** Whether `stats` contains its counts. */
  readonly isInStats?: boolean;
  /** Returns false if the relation is to be skipped (members, if the request excludes them). */
  readonly isEnabled?: (target: ImportTarget) => boolean;
  /** Statuses of the first page that mean that the source lacks this feature: the relation is skipped without a failure. */
  readonly unavailableStatuses?: readonly number[];
  readonly fields: Fields;
  /** Unique key of an element among its kind in the source, at most 255 characters. Default: its `id`. */
  readonly key?: (element: ParameterValues<Fields>) => string | number;
  readonly referencedUsers?: (element: ParameterValues<Fields>) => readonly (SourceUser | null | undefined)[];
  /** Title and URL of an element for failure records; only for issues, merge requests, epics and milestones. */
  readonly toTitleAndUrl?: (element: ParameterValues<Fields>) => SourceObjectRef;
  readonly lock?: (target: ImportTarget) => string | readonly string[];
  readonly before?: (uow: UnitOfWork<SignedInCaller>, target: ImportTarget) => Promise<void>;
  readonly store: (
    uow: UnitOfWork<SignedInCaller>,
    target: ImportTarget,
    element: ParameterValues<Fields>,
    users: UserMapping,
  ) => Promise<StoreElementResult>;
  readonly children?: readonly ChildDeclaration<ParameterValues<Fields>, ChildFields>[];
}

/** A list that each element of a relation has. Its failures contain both names: `issues, notes`. */
interface ChildDeclaration<Element, Fields extends Parameters> {
  readonly name: string;
  readonly kind: string;
  readonly list: (source: SourceGroupOrProject, element: Element) => string;
  readonly fields: Fields;
  readonly key?: (child: ParameterValues<Fields>) => string | number;
  readonly referencedUsers?: (child: ParameterValues<Fields>) => readonly (SourceUser | null | undefined)[];
  readonly lock?: (target: ImportTarget) => string | readonly string[];
  readonly store: (
    uow: UnitOfWork<SignedInCaller>,
    target: ImportTarget,
    /** `id`: local id of the parent element. */
    parent: { readonly id: number; readonly element: Element },
    child: ParameterValues<Fields>,
    users: UserMapping,
  ) => Promise<StoreElementResult>;
}

/** Result of `store`: the id of the new row, null if there is nothing to store, or a failure. */
export type StoreElementResult = number | null | Failure;

export interface SourceObjectRef {
  readonly title: string | null | undefined;
  readonly url: string | null | undefined;
}

/** The group or project of the source. */
export interface SourceGroupOrProject {
  readonly kind: 'group' | 'project';
  /** Its id on the source. */
  readonly id: number;
  readonly fullPath: string;
  /** Whether the entity was found inside another entity, whose members it inherits; false if the request names it. */
  readonly isChild: boolean;
}

/** The destination of an entity, and the options of its import. */
export interface ImportTarget {
  readonly importId: number;
  readonly entityId: number;
  readonly source: SourceGroupOrProject;
  /** The new group or project, reloaded in each transaction with the role of the importing user. */
  readonly destination: GroupOrProject;
  readonly migrateProjects: boolean;
  readonly migrateMemberships: boolean;
}

/** A reference to a user in elements of the source. */
export interface SourceUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
}

/** Mapping of source users to local users, for all users that `referencedUsers` returned. */
export interface UserMapping {
  /** Returns the id of the local user, or null. */
  getLocalUserId(user: SourceUser | null | undefined): number | null;
}

/**
 * First relation of an entity: creates the group or project itself. Any failure ends the entity. The engine fetches
 * `GET /groups/<path>` or `/projects/<path>`, checks the path in the response, and stores the id that `create` returns.
 */
interface CreationDeclaration<Fields extends Parameters> {
  readonly name: 'group' | 'project';
  readonly fields: Fields;
  readonly create: (
    uow: UnitOfWork<SignedInCaller>,
    input: CreateDestinationInput,
    element: ParameterValues<Fields>,
  ) => Promise<number | Failure>;
}

/** Destination and options of the new group or project. */
export interface CreateDestinationInput {
  readonly importId: number;
  /** Parent group, in which the importing user may create the entity; null: a top-level group. */
  readonly parent: Group | null;
  readonly slug: string;
  /** Names of the configured storages. */
  readonly storages: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: a list holds relations of every kind of element
export type Relation = RelationDeclaration<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type ChildRelation = ChildDeclaration<any, any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
export type DestinationCreation = CreationDeclaration<any>;

/** Declares a relation; the types of its elements follow from `fields`. */
export function declareRelation<const Fields extends Parameters, const ChildFields extends Parameters = Parameters>(
  declaration: RelationDeclaration<Fields, ChildFields>,
): Relation {
  return declaration;
}

/** Declares a child list, which several relations may use. */
export function declareChildRelation<const Fields extends Parameters>(
  // biome-ignore lint/suspicious/noExplicitAny: the elements are of every kind
  declaration: ChildDeclaration<any, Fields>,
): ChildRelation {
  return declaration;
}

/** Declares the creation of a group or a project. */
export function declareDestinationCreation<const Fields extends Parameters>(
  declaration: CreationDeclaration<Fields>,
): DestinationCreation {
  return declaration;
}

/**
 * Returns the local id of a source element: from this entity first, else from another entity of the import (the epic of an issue
 * belongs to an ancestor group). Returns null if it was not imported. index: bulk_import_objects_pkey
 */
export async function findStoredObject(
  db: Reader,
  { importId, entityId }: Pick<ImportTarget, 'importId' | 'entityId'>,
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
