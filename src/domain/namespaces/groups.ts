import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { isActiveMembership, OWNER, selectInheritedRole, toViewerParams, type ViewerParams } from '../members/roles.ts';
import { isArchivedExpression, isMarkedExpression } from './archive-state.ts';
import { parseIdOrPath } from './routes.ts';

/** A group with everything that authorization needs, including the caller's role. */
export interface Group extends Omit<Columns<'namespaces'>, 'kind' | 'owner_id' | 'name_key' | 'move_id'> {
  /** Whether the group itself or one of its ancestors is archived. */
  readonly archived: boolean;
  /** Whether the group or one of its ancestors is scheduled for deletion. */
  readonly marked: boolean;
  /** JSON; see `parseGroupAttributes`. */
  readonly attributes: string;
  /** Name of the storage of the wiki's repository, set before the repository exists. */
  readonly storage: string;
  readonly full_path: string;
  readonly full_name: string;
  /** The caller's highest role in the group or its ancestors; 0 without a membership. */
  readonly role: number;
  /** 1 if the caller is a member of the group or of a group or project below, else 0. */
  readonly member_below: number;
}

export const groupColumns = [
  'namespaces.id',
  'namespaces.parent_id',
  'namespaces.path',
  'namespaces.name',
  'namespaces.description',
  'namespaces.visibility',
  'namespaces.attributes',
  'namespaces.marked_for_deletion_on',
  'namespaces.name_before_deletion',
  'namespaces.path_before_deletion',
  'namespaces.storage',
  'namespaces.created_at',
  'namespaces.updated_at',
  'routes.full_path',
  'routes.full_name',
] as const;

function buildGroupQuery(db: Reader, value: Params<ViewerParams>) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .where('namespaces.kind', '=', 'group')
    .select(groupColumns)
    .select((eb) => [
      selectInheritedRole('namespaces.id', value).as('role'),
      isArchivedExpression('namespaces.id').as('is_archived'),
      isMarkedExpression('namespaces.id').as('is_marked'),
      // index: memberships_by_user, namespace_closure_pkey
      eb
        .case()
        .when(
          eb.exists(
            eb
              .selectFrom('memberships')
              .leftJoin('projects', (join) =>
                join.onRef('projects.id', '=', 'memberships.source_id').on('memberships.source_type', '=', 'project'),
              )
              .innerJoin('namespace_closure', (join) =>
                join.on((on) =>
                  on(
                    'namespace_closure.descendant_id',
                    '=',
                    on.fn.coalesce('projects.namespace_id', 'memberships.source_id'),
                  ),
                ),
              )
              .select('memberships.id')
              .whereRef('namespace_closure.ancestor_id', '=', 'namespaces.id')
              .where('memberships.user_id', '=', value('user'))
              .where(isActiveMembership('memberships.expires_at', value('today'))),
          ),
        )
        .then(eb.lit(1))
        .else(eb.lit(0))
        .end()
        .as('member_below'),
    ]);
}

// index: namespaces primary key
const findGroupRow = prepare((db, value: Params<ViewerParams & { id: number }>) =>
  buildGroupQuery(db, value as Params<ViewerParams>).where('namespaces.id', '=', value('id')),
);

// index: routes_by_full_path
const findGroupRowByPath = prepare((db, value: Params<ViewerParams & { key: string }>) =>
  buildGroupQuery(db, value as Params<ViewerParams>).where('routes.full_path_key', '=', value('key')),
);

/**
 * Returns the group with this `:id`: a number, else a full path, ignoring case; null if there is none. Does not check
 * visibility.
 */
export async function findGroup(db: Reader, caller: Caller, id: string): Promise<Group | null> {
  const viewer = toViewerParams(db, caller);
  const idOrPath = parseIdOrPath(id);
  if (idOrPath === null) return null;
  const row =
    'id' in idOrPath
      ? await findGroupRow.first(db, { ...viewer, ...idOrPath })
      : await findGroupRowByPath.first(db, { ...viewer, ...idOrPath });
  if (row === undefined) return null;
  const { is_archived, is_marked, ...group } = row;
  return { ...group, archived: is_archived === 1, marked: is_marked === 1 } as Group;
}

/** Returns the caller's effective role in the group. Administrators act as Owner. */
export function getGroupRole(caller: Caller, group: Pick<Group, 'role'>): number {
  return isAdministrator(caller) ? OWNER : group.role;
}

/** Returns whether the caller may know that the group exists. Members of a group or project below a private group may, too. */
export function canSeeGroup(caller: Caller, group: Pick<Group, 'visibility' | 'role' | 'member_below'>): boolean {
  if (group.visibility === 'public') return true;
  if (caller.user === null) return false;
  return group.visibility === 'internal' || getGroupRole(caller, group) > 0 || group.member_below === 1;
}
