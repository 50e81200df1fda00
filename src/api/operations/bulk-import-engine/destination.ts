import type { SignedInCaller } from '#authentication/caller.ts';
import { mayCreateProjectIn, mayCreateSubgroupIn, mayCreateTopLevelGroup } from '#authorization/namespace-creation.ts';
import type { Columns, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow } from '#database/page.ts';
import type { EntityType } from '#database/schema.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { findGroup, type Group, getGroupRole } from '#domain/namespaces/groups.ts';
import { type Failure, fail } from '#runtime/failure.ts';

// Checks of destinations, when an import is created (contract/operations.md §1.1 f to i) and again when an entity starts.

type DestinationInput = Columns<
  'bulk_import_entities',
  'source_type' | 'source_full_path' | 'destination_namespace' | 'destination_slug'
>;

const failWith = (message: string): Failure<'failed'> => fail('failed', { message });

/** Returns the parent group, null for the top level, or a failure. `isOwnSource`: this server is also the source. */
export async function checkDestination(
  db: Reader,
  caller: SignedInCaller,
  input: DestinationInput,
  isOwnSource: boolean,
): Promise<Group | null | Failure<'failed'>> {
  const { source_type, destination_namespace: namespace, destination_slug: slug } = input;
  const parent = namespace === '' ? null : await findGroupByPath(db, caller, namespace);
  if (!(await mayImport(db, caller, source_type, namespace, parent))) {
    return failWith(`Import failed. '${namespace}' is invalid, or you do not have permission.`);
  }
  const fullPath = namespace === '' ? slug : `${namespace}/${slug}`;
  if (await isPathTaken(db, fullPath)) {
    return failWith(`Import failed. '${fullPath}' already exists. Change the destination and try again.`);
  }
  if (source_type === 'project_entity' && parent === null) {
    return failWith("Validation failed: Destination namespace can't be blank");
  }
  if (isOwnSource && source_type === 'group_entity' && isPathInside(namespace, input.source_full_path)) {
    return failWith(
      'Validation failed: Import failed. The destination cannot be a subgroup of the source group. ' +
        'Change the destination and try again.',
    );
  }
  return parent;
}

/** Returns the group with this full path, or null. A number is treated as a path, not as an id. */
async function findGroupByPath(db: Reader, caller: SignedInCaller, path: string): Promise<Group | null> {
  // index: routes_by_full_path
  const route = await db
    .selectFrom('routes')
    .select('namespace_id')
    .where('full_path_key', '=', foldCase(path))
    .executeTakeFirst();
  return route?.namespace_id == null ? null : findGroup(db, caller, String(route.namespace_id));
}

/** Returns whether the caller may create the group or project in `parent`; an empty namespace means the top level. */
async function mayImport(
  db: Reader,
  caller: SignedInCaller,
  type: EntityType,
  namespace: string,
  parent: Group | null,
): Promise<boolean> {
  // A project needs a parent: `checkDestination` reports a missing one later, with its own message.
  if (namespace === '') return type === 'project_entity' || mayCreateTopLevelGroup(db, caller);
  if (parent === null) return false;
  if (type === 'group_entity') return mayCreateSubgroupIn(caller, parent);
  return getGroupRole(caller, parent) >= MAINTAINER && mayCreateProjectIn(caller, parent);
}

/** Returns whether a group or project has this full path. index: routes_by_full_path */
export function isPathTaken(db: Reader, fullPath: string): Promise<boolean> {
  return hasRow(db.selectFrom('routes').select('id').where('full_path_key', '=', foldCase(fullPath)));
}

/** Returns whether `path` is the ancestor itself or below it. */
function isPathInside(path: string, ancestor: string): boolean {
  return foldCase(`${path}/`).startsWith(foldCase(`${ancestor}/`));
}
