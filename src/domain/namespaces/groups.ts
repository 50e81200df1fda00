import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Visibility } from '#database/tables/domain.ts';
import { isLive } from '../members/membership-expiry.ts';
import { OWNER } from '../members/roles.ts';
import { type Asker, askerOf, roleFromAbove } from '../members/viewer-role.ts';
import { archivedAt, markedAt } from './archive-state.ts';
import { namedBy } from './routes.ts';

/** One group as access decides about it, with the caller's role there. */
export interface Group {
  readonly id: number;
  readonly parent_id: number | null;
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly visibility: Visibility;
  /** Itself, or by a group above. */
  readonly archived: boolean;
  /** Is its deletion scheduled, or that of a group above? */
  readonly marked: boolean;
  readonly attributes: string;
  readonly marked_for_deletion_on: string | null;
  readonly name_before_deletion: string | null;
  readonly path_before_deletion: string | null;
  /** Where the repository of its wiki is, or will be. */
  readonly storage: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly full_path: string;
  readonly full_name: string;
  /** The caller's highest membership here or above; 0 without one. */
  readonly role: number;
  /** 1 when the caller is a member of something below. */
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

function selectGroup(db: Reader, value: Params<Asker>) {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .where('namespaces.kind', '=', 'group')
    .select(groupColumns)
    .select((eb) => [
      roleFromAbove('namespaces.id', value).as('role'),
      archivedAt('namespaces.id').as('archived_at'),
      markedAt('namespaces.id').as('marked_at'),
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
              .where(isLive('memberships.expires_at', value('today'))),
          ),
        )
        .then(eb.lit(1))
        .else(eb.lit(0))
        .end()
        .as('member_below'),
    ]);
}

// index: namespaces primary key
const groupById = prepare((db, value: Params<Asker & { id: number }>) =>
  selectGroup(db, value as Params<Asker>).where('namespaces.id', '=', value('id')),
);

// index: routes_by_full_path
const groupByPath = prepare((db, value: Params<Asker & { key: string }>) =>
  selectGroup(db, value as Params<Asker>).where('routes.full_path_key', '=', value('key')),
);

/** The group that an `:id` names: a number, else a full path in any case. Null when it is missing. */
export async function findGroup(db: Reader, caller: Caller, id: string): Promise<Group | null> {
  const asker = askerOf(db, caller);
  const named = namedBy(id);
  if (named === null) return null;
  const row =
    'id' in named
      ? await groupById.first(db, { ...asker, ...named })
      : await groupByPath.first(db, { ...asker, ...named });
  if (row === undefined) return null;
  const { archived_at, marked_at, ...group } = row;
  return { ...group, archived: archived_at === 1, marked: marked_at === 1 } as Group;
}

export function roleInGroup(caller: Caller, group: Pick<Group, 'role'>): number {
  return isAdministrator(caller) ? OWNER : group.role;
}

/** As for projects; a private group is also visible to members of anything below it. */
export function canSeeGroup(caller: Caller, group: Pick<Group, 'visibility' | 'role' | 'member_below'>): boolean {
  if (group.visibility === 'public') return true;
  if (caller.user === null) return false;
  return group.visibility === 'internal' || roleInGroup(caller, group) > 0 || group.member_below === 1;
}
