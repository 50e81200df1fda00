import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { isInIds, toZeroOrOne } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import type { SourceType } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isActiveMembership, OWNER } from './roles.ts';
import { isTokenBot } from './token-bots.ts';

// Rows of memberships in groups and projects (contract/planning.md §3.4). Authorization and audit events are the
// callers' responsibility.

export type Membership = Selectable<Schema['memberships']>;

/** A group or project with members, and the namespace from whose groups it inherits members. */
export interface MemberSource {
  readonly type: SourceType;
  readonly id: number;
  /** The group itself, or the project's namespace. */
  readonly namespaceId: number;
}

export const toGroupSource = (id: number): MemberSource => ({ type: 'group', id, namespaceId: id });
export const toProjectSource = (project: { readonly id: number; readonly namespace_id: number }): MemberSource => ({
  type: 'project',
  id: project.id,
  namespaceId: project.namespace_id,
});

/**
 * Returns whether the group or project still exists: it may have been deleted since the permission check. For transactions that
 * insert rows without a foreign key to it.
 * index: namespaces primary key, projects primary key
 */
export async function sourceExists(tx: Transaction, { type, id }: Pick<MemberSource, 'type' | 'id'>): Promise<boolean> {
  const table = type === 'group' ? 'namespaces' : 'projects';
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Returns the user's direct membership, expired or not. index: memberships_by_source */
export async function findMembership(
  db: Reader,
  source: Pick<MemberSource, 'type' | 'id'>,
  userId: number,
): Promise<Membership | null> {
  const row = await db
    .selectFrom('memberships')
    .selectAll()
    .where('source_type', '=', source.type)
    .where('source_id', '=', source.id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}

interface CreateMembershipInput {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt?: string | null;
  readonly createdById: number | null;
}

/**
 * Creates a membership; no other function does. Returns null for the bot of a token, which cannot have a second
 * membership. Throws the unique violation of `memberships_by_source` if the user is a direct member already.
 */
export async function createMembership(
  tx: Transaction,
  source: Pick<MemberSource, 'type' | 'id'>,
  { userId, accessLevel, expiresAt = null, createdById }: CreateMembershipInput,
): Promise<Membership | null> {
  if (await isTokenBot(tx, userId)) return null;
  return tx
    .insertInto('memberships')
    .values({
      user_id: userId,
      source_type: source.type,
      source_id: source.id,
      access_level: accessLevel,
      expires_at: expiresAt,
      created_by_id: createdById,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Updates the role or expiry date of a membership and returns the new row. Throws if the membership does not exist. */
export async function updateMembership(
  tx: Transaction,
  id: number,
  changes: Pick<Membership, 'access_level' | 'expires_at'>,
): Promise<Membership> {
  return tx
    .updateTable('memberships')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Deletes a membership and publishes `membership-ended`. `unassign` also removes the user as an assignee. */
export async function endMembership(
  uow: UnitOfWork,
  { id, user_id, source_type, source_id }: Membership,
  { unassign = false }: { readonly unassign?: boolean } = {},
): Promise<void> {
  await uow.deleteFrom('memberships').where('id', '=', id).execute();
  await uow.publish('membership-ended', {
    userId: user_id,
    sourceType: source_type,
    sourceId: source_id,
    unassign,
  });
}

/**
 * Returns the user's highest active membership in the groups above the source, with the group's name; null if there is none.
 * index: namespace_closure_pkey, memberships_by_source
 */
export async function findInheritedMembership(
  db: Reader,
  source: MemberSource,
  userId: number,
): Promise<{ access_level: number; group_name: string } | null> {
  const row = await db
    .selectFrom('namespace_closure as ancestors')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'ancestors.ancestor_id').on('memberships.source_type', '=', 'group'),
    )
    .innerJoin('namespaces', 'namespaces.id', 'ancestors.ancestor_id')
    .select(['memberships.access_level', 'namespaces.name as group_name'])
    .where('ancestors.descendant_id', '=', source.namespaceId)
    .where('ancestors.depth', '>=', source.type === 'group' ? 1 : 0)
    .where('memberships.user_id', '=', userId)
    .where(isActiveMembership('memberships.expires_at', db.today))
    .orderBy('memberships.access_level', 'desc')
    .orderBy('ancestors.depth')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Selects active Owners other than this user, without token bots and users being deleted. The caller adds the condition on the
 * group.
 * index: memberships_by_source, users primary key, token_bots primary key
 */
function selectOtherOwners(db: Reader, userId: number) {
  return db
    .selectFrom('memberships as other_ownership')
    .innerJoin('users', 'users.id', 'other_ownership.user_id')
    .leftJoin('token_bots', 'token_bots.user_id', 'other_ownership.user_id')
    .select('other_ownership.id')
    .where('other_ownership.source_type', '=', 'group')
    .where('other_ownership.access_level', '=', OWNER)
    .where('other_ownership.user_id', '<>', userId)
    .where('token_bots.user_id', 'is', null)
    .where('users.deletion_scheduled_at', 'is', null)
    .where(isActiveMembership('other_ownership.expires_at', db.today));
}

/** Returns whether the group has an active direct Owner other than this user. */
export function hasOtherOwner(db: Reader, groupId: number, userId: number): Promise<boolean> {
  const owners = selectOtherOwners(db, userId).where('other_ownership.source_id', '=', groupId);
  return hasRow(owners);
}

type GroupWithPath = Columns<'routes', 'id' | 'full_path'>;

/**
 * Returns the groups whose only active Owner, direct or inherited, is this user.
 * index: memberships_by_user, routes_by_namespace, namespace_closure_pkey
 */
export async function listSolelyOwnedGroups(db: Reader, userId: number): Promise<GroupWithPath[]> {
  const groupAndAncestors = db
    .selectFrom('namespace_closure as ancestors')
    .select('ancestors.ancestor_id')
    .where('ancestors.descendant_id', '=', sql.ref<number>('ownership.source_id'));
  return db
    .selectFrom('memberships as ownership')
    .innerJoin('routes', 'routes.namespace_id', 'ownership.source_id')
    .select(['ownership.source_id as id', 'routes.full_path'])
    .where('ownership.user_id', '=', userId)
    .where('ownership.source_type', '=', 'group')
    .where('ownership.access_level', '=', OWNER)
    .where(isActiveMembership('ownership.expires_at', db.today))
    .where(({ not, exists }) =>
      not(exists(selectOtherOwners(db, userId).where('other_ownership.source_id', 'in', groupAndAncestors))),
    )
    .orderBy('ownership.source_id')
    .execute();
}

/** A membership with the full path of its group or project. */
type MembershipWithPath = Membership & { readonly full_path: string };

/**
 * Returns the user's direct memberships in the groups and projects below a group.
 * index: memberships_by_user, namespace_closure_pkey
 */
export async function listMembershipsBelow(db: Reader, groupId: number, userId: number): Promise<MembershipWithPath[]> {
  const selectMemberships = (type: SourceType) =>
    db
      .selectFrom('memberships')
      .selectAll('memberships')
      .where('memberships.user_id', '=', userId)
      .where('memberships.source_type', '=', type);
  const groupMemberships = await selectMemberships('group')
    .innerJoin('namespace_closure as descendants', (join) =>
      join.onRef('descendants.descendant_id', '=', 'memberships.source_id').on('descendants.ancestor_id', '=', groupId),
    )
    .innerJoin('routes', 'routes.namespace_id', 'memberships.source_id')
    .select('routes.full_path')
    .where('descendants.depth', '>', 0)
    .execute();
  const projectMemberships = await selectMemberships('project')
    .innerJoin('projects', 'projects.id', 'memberships.source_id')
    .innerJoin('namespace_closure as descendants', (join) =>
      join.onRef('descendants.descendant_id', '=', 'projects.namespace_id').on('descendants.ancestor_id', '=', groupId),
    )
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select('routes.full_path')
    .execute();
  return [...groupMemberships, ...projectMemberships];
}

/** Returns up to `limit` expired memberships. index: memberships_by_expiry */
export async function listExpiredMemberships(db: Reader, limit: number): Promise<Membership[]> {
  return db
    .selectFrom('memberships')
    .selectAll()
    .where('expires_at', '<=', db.today)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/**
 * Returns the source itself and then the groups above it, from which it inherits members.
 * index: namespace_closure_pkey
 */
export async function listMemberSources(db: Reader, source: MemberSource): Promise<readonly MemberSourceRef[]> {
  const rows = await db
    .selectFrom('namespace_closure')
    .select('ancestor_id')
    .where('descendant_id', '=', source.namespaceId)
    .orderBy('depth')
    .execute();
  const groups = rows.map(({ ancestor_id }) => ({ type: 'group', id: ancestor_id }) as const);
  return source.type === 'group' ? groups : [source, ...groups];
}

export type MemberSourceRef = Pick<MemberSource, 'type' | 'id'>;

/** Returns the sources that have direct members, so that later queries skip the others. index: memberships_by_source */
export async function filterSourcesWithMembers(
  db: Reader,
  sources: readonly MemberSourceRef[],
): Promise<readonly MemberSourceRef[]> {
  const hasMembership = ({ type, id }: MemberSourceRef) =>
    sql<SqlBool>`exists (select 1 from memberships where source_type = ${type} and source_id = ${id})`;
  const query = db.selectNoFrom(sources.map((source, index) => toZeroOrOne(hasMembership(source)).as(`has_${index}`)));
  const results = Object.values(await query.executeTakeFirstOrThrow());
  return sources.filter((_, index) => results[index] === 1);
}

/**
 * Maximum number of sources whose members are selected with UNION ALL; members of more sources are selected with DISTINCT.
 * Excluding the members of nearer sources takes quadratic time.
 */
const MAX_UNION_SOURCES = 20;

/**
 * Selects the members of these sources, without duplicates. With few sources, the members of the nearest source come
 * first, each source in index order by user, so that a page reads only its own rows.
 * index: memberships_by_source
 */
export function selectMembersOfAny(db: Reader, sources: readonly MemberSourceRef[]) {
  if (sources.length > MAX_UNION_SOURCES) return selectDistinctMembers(db, sources);
  const [first, ...otherMembers] = sources.map((source, index) =>
    selectMembersNotInNearer(db, source, sources.slice(0, index)),
  );
  return otherMembers.reduce((union, members) => union.unionAll(members), first!);
}

/** Selects the members of any number of sources, unsorted. */
function selectDistinctMembers(db: Reader, sources: readonly MemberSourceRef[]) {
  return db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .distinct()
    .where((eb) =>
      eb.or(
        [...collectIdsByType(sources)].map(([type, ids]) =>
          eb.and([eb('memberships.source_type', '=', type), isInIds(db, sql<number>`memberships.source_id`, ids)]),
        ),
      ),
    );
}

/** Selects the members of a source who are not members of a nearer source. */
function selectMembersNotInNearer(db: Reader, source: MemberSourceRef, nearerSources: readonly MemberSourceRef[]) {
  const members = db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .where('memberships.source_type', '=', source.type)
    .where('memberships.source_id', '=', source.id);
  if (nearerSources.length === 0) return members;
  return members.where(({ not }) => not(isMemberOfAny(db, nearerSources, sql.ref('memberships.user_id'))));
}

/** Condition: the user is a direct member of one of these sources. index: memberships_by_source */
export function isMemberOfAny(db: Reader, sources: readonly MemberSourceRef[], userId: Expression<number>) {
  const eb = expressionBuilder<Schema, never>();
  const membershipConditions = [...collectIdsByType(sources)].map(([type, ids]) =>
    eb.exists(
      db
        .selectFrom('memberships as member')
        .select('member.id')
        .where('member.user_id', '=', userId)
        .where('member.source_type', '=', type)
        .where('member.source_id', 'in', ids),
    ),
  );
  return eb.or(membershipConditions);
}

function collectIdsByType(sources: readonly MemberSourceRef[]): ReadonlyMap<SourceType, readonly number[]> {
  const sourcesByType = Map.groupBy(sources, ({ type }) => type);
  return new Map([...sourcesByType].map(([type, sourcesOfType]) => [type, sourcesOfType.map(({ id }) => id)]));
}

/**
 * Returns the effective membership of each user in these sources: the active one with the highest role. An expired
 * membership counts until it is deleted, if the user has no other (contract/planning.md §0 "Roles").
 * index: memberships_by_user
 */
export async function loadEffectiveMemberships(
  db: Reader,
  sources: readonly MemberSourceRef[],
  userIds: readonly number[],
): Promise<Map<number, Membership>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('memberships')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where((eb) =>
      eb.or(
        [...collectIdsByType(sources)].map(([type, ids]) =>
          eb.and([eb('source_type', '=', type), eb('source_id', 'in', ids)]),
        ),
      ),
    )
    .orderBy(toZeroOrOne(isActiveMembership('expires_at', db.today)))
    .orderBy('access_level')
    .orderBy('source_type')
    .orderBy('id')
    .execute();
  // Later rows overwrite earlier ones, so the highest active membership remains.
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** Deletes all memberships of a deleted user, and clears the user as the creator of other memberships. */
export async function endMembershipsOfUser(uow: UnitOfWork, userId: number): Promise<void> {
  // index: memberships_by_user
  const ownMemberships = await uow
    .selectFrom('memberships')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
  for (const membership of ownMemberships) await endMembership(uow, membership);
  // index: memberships_by_created_by
  await uow.updateTable('memberships').set({ created_by_id: null }).where('created_by_id', '=', userId).execute();
}

/** Deletes the memberships of deleted groups or projects, without publishing events. */
export async function deleteMembershipsOfSources(
  tx: Transaction,
  type: SourceType,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('memberships').where('source_type', '=', type).where('source_id', 'in', ids).execute();
}
