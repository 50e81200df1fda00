import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import type { EntityType } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { declareRelation, type ImportTarget, type StoreElementResult } from '../bulk-import-relations/index.ts';
import { findEntityById } from './store.ts';

// The projects and subgroups of a group: each becomes an entity of its own, which waits for a free slot.

/** Maximum number of groups and projects of one import. */
const MAX_ENTITIES = 10_000;

const commonFields = {
  id: required(integer),
  path: required(domainValidatedText(255)),
  marked_for_deletion_at: optional(string),
  marked_for_deletion_on: optional(string),
};

export const projectEntities = declareRelation({
  name: 'project_entities',
  kind: 'project_entity',
  list: {
    group: ({ id }) => `/groups/${id}/projects?include_subgroups=false&with_shared=false&order_by=id&sort=asc`,
  },
  isEnabled: ({ migrateProjects }) => migrateProjects,
  fields: { ...commonFields, path_with_namespace: required(string) },
  store: (uow, target, element) =>
    insertChildEntity(uow, target, 'project_entity', element, element.path_with_namespace),
});

export const subgroups = declareRelation({
  name: 'subgroups',
  kind: 'group_entity',
  list: { group: ({ id }) => `/groups/${id}/subgroups?order_by=id&sort=asc` },
  fields: { ...commonFields, full_path: required(string), marked_for_deletion: optional(boolean, false) },
  store: (uow, target, element) => insertChildEntity(uow, target, 'group_entity', element, element.full_path),
});

interface ChildElement {
  readonly id: number;
  readonly path: string;
  readonly marked_for_deletion_at?: string | null | undefined;
  readonly marked_for_deletion_on?: string | null | undefined;
}

/**
 * Inserts the entity of a listed project or subgroup. Returns its id, null for one that is marked for deletion, or a failure
 * that is recorded.
 */
async function insertChildEntity(
  uow: UnitOfWork<SignedInCaller>,
  target: ImportTarget,
  type: EntityType,
  { id: sourceId, path, ...element }: ChildElement,
  fullPath: string,
): Promise<StoreElementResult> {
  if ((element.marked_for_deletion_at ?? element.marked_for_deletion_on ?? null) !== null) return null;
  // The source is untrusted, and its paths become parts of URLs.
  if (!fullPath.split('/').every((segment) => /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(segment))) {
    return fail('failed', { message: 'The source sent an invalid path' });
  }
  // index: bulk_import_entities_by_import
  const { count } = await uow
    .selectFrom('bulk_import_entities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('bulk_import_id', '=', target.importId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_ENTITIES) return fail('failed', { message: 'There are too many groups and projects' });
  if (await isInTree(uow, target, { type, fullPath, sourceId })) {
    return fail('failed', { message: 'The source lists this group or project a second time in the same tree' });
  }
  const { id } = await uow
    .insertInto('bulk_import_entities')
    .values({
      bulk_import_id: target.importId,
      user_id: uow.actor.user.id,
      parent_id: target.entityId,
      source_type: type,
      source_full_path: fullPath,
      destination_namespace: target.destination.group?.full_path ?? '',
      destination_slug: path,
      migrate_projects: target.migrateProjects,
      migrate_memberships: target.migrateMemberships,
      status: 'created',
      created_at: uow.now,
      updated_at: uow.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

interface SourceEntity {
  readonly type: EntityType;
  readonly fullPath: string;
  readonly sourceId: number;
}

/**
 * Returns whether the tree of this entity already contains the group or project. Without the check, groups that list
 * themselves or each other would be imported endlessly.
 * index: bulk_import_entities_in_order
 */
async function isInTree(
  db: Reader,
  target: ImportTarget,
  { type, fullPath, sourceId }: SourceEntity,
): Promise<boolean> {
  const matchingEntities = await db
    .selectFrom('bulk_import_entities')
    .select('id')
    .where('bulk_import_id', '=', target.importId)
    .where('source_type', '=', type)
    .where((eb) => eb.or([eb('source_full_path', '=', fullPath), eb('source_id', '=', sourceId)]))
    .execute();
  if (matchingEntities.length === 0) return false;
  const rootId = await findRootId(db, target.entityId);
  for (const { id } of matchingEntities) if ((await findRootId(db, id)) === rootId) return true;
  return false;
}

/** Returns the id of the root entity of this entity's tree. Roots are the entities that the request names. */
async function findRootId(db: Reader, entityId: number): Promise<number> {
  for (let id = entityId; ; ) {
    const parent = (await findEntityById(db, id))?.parent_id ?? null;
    if (parent === null) return id;
    id = parent;
  }
}
