import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { isAmong, truth } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';
import type { MembershipsTable, SourceType } from '#database/tables/domain.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { isLive } from './membership-expiry.ts';
import { OWNER } from './roles.ts';
import { isTokenBot } from './token-bots.ts';

/**
 * Rows that make users members of groups and projects (contract/planning.md §3.4). What is written here is neither
 * authorized nor recorded: that is the families' part.
 */

export type Membership = Selectable<MembershipsTable>;

/** What one can be a member of, and the namespace whose groups hand their members down to it. */
export interface MemberSource {
  readonly type: SourceType;
  readonly id: number;
  /** The group itself, or the project's namespace. */
  readonly namespaceId: number;
}

export const groupSource = (id: number): MemberSource => ({ type: 'group', id, namespaceId: id });
export const projectSource = (project: { readonly id: number; readonly namespace_id: number }): MemberSource => ({
  type: 'project',
  id: project.id,
  namespaceId: project.namespace_id,
});

/**
 * Is the group or project still there? It was when the caller's rights were asked; whoever gives it something that must
 * not outlive it asks again in the transaction. index: namespaces primary key, projects primary key
 */
export async function stands(tx: Transaction, { type, id }: Pick<MemberSource, 'type' | 'id'>): Promise<boolean> {
  const table = type === 'group' ? 'namespaces' : 'projects';
  const row = await tx.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** The user's own row here, expired or not. index: memberships_by_source */
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

interface NewMembership {
  readonly userId: number;
  readonly accessLevel: number;
  readonly expiresAt?: string | null;
  readonly createdById: number | null;
}

/**
 * The one way to become a member. Null for the bot of a token, which has no second membership. Throws the unique
 * violation of `memberships_by_source` when the user is a direct member already.
 */
export async function addMembership(
  tx: Transaction,
  source: Pick<MemberSource, 'type' | 'id'>,
  { userId, accessLevel, expiresAt = null, createdById }: NewMembership,
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

export async function changeMembership(
  tx: Transaction,
  id: number,
  change: Pick<Membership, 'access_level' | 'expires_at'>,
): Promise<Membership> {
  return tx
    .updateTable('memberships')
    .set({ ...change, updated_at: tx.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Ends one membership and tells the families that keep things by it. */
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

/** The user's highest live membership in the groups above, with that group's name. index: namespace_closure_pkey, memberships_by_source */
export async function inheritedMembership(
  db: Reader,
  source: MemberSource,
  userId: number,
): Promise<{ access_level: number; group_name: string } | null> {
  const row = await db
    .selectFrom('namespace_closure as up')
    .innerJoin('memberships', (join) =>
      join.onRef('memberships.source_id', '=', 'up.ancestor_id').on('memberships.source_type', '=', 'group'),
    )
    .innerJoin('namespaces', 'namespaces.id', 'up.ancestor_id')
    .select(['memberships.access_level', 'namespaces.name as group_name'])
    .where('up.descendant_id', '=', source.namespaceId)
    .where('up.depth', '>=', source.type === 'group' ? 1 : 0)
    .where('memberships.user_id', '=', userId)
    .where(isLive('memberships.expires_at', db.today))
    .orderBy('memberships.access_level', 'desc')
    .orderBy('up.depth')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Live Owners of groups besides this user: bots of tokens are none, nor is one whose account has ended. The group is for
 * the caller to name. index: memberships_by_source, users primary key, token_bots primary key
 */
function otherOwners(db: Reader, userId: number) {
  return db
    .selectFrom('memberships as other')
    .innerJoin('users', 'users.id', 'other.user_id')
    .leftJoin('token_bots', 'token_bots.user_id', 'other.user_id')
    .select('other.id')
    .where('other.source_type', '=', 'group')
    .where('other.access_level', '=', OWNER)
    .where('other.user_id', '<>', userId)
    .where('token_bots.user_id', 'is', null)
    .where('users.deletion_scheduled_at', 'is', null)
    .where(isLive('other.expires_at', db.today));
}

/** Would the group have a live Owner of its own without this user? */
export function hasOtherOwner(db: Reader, groupId: number, userId: number): Promise<boolean> {
  const owners = otherOwners(db, userId).where('other.source_id', '=', groupId);
  return hasRow(owners);
}

/** A group together with its full path. */
interface PlacedGroup {
  readonly id: number;
  readonly full_path: string;
}

/**
 * The groups of which this user, and nobody else, is a live Owner, neither directly nor by a group above.
 * index: memberships_by_user, routes_by_namespace, namespace_closure_pkey
 */
export async function solelyOwnedGroups(db: Reader, userId: number): Promise<PlacedGroup[]> {
  const groupAndAbove = db
    .selectFrom('namespace_closure as up')
    .select('up.ancestor_id')
    .where('up.descendant_id', '=', sql.ref<number>('own.source_id'));
  return db
    .selectFrom('memberships as own')
    .innerJoin('routes', 'routes.namespace_id', 'own.source_id')
    .select(['own.source_id as id', 'routes.full_path'])
    .where('own.user_id', '=', userId)
    .where('own.source_type', '=', 'group')
    .where('own.access_level', '=', OWNER)
    .where(isLive('own.expires_at', db.today))
    .where(({ not, exists }) => not(exists(otherOwners(db, userId).where('other.source_id', 'in', groupAndAbove))))
    .orderBy('own.source_id')
    .execute();
}

/** A membership together with the place that it is in. */
type PlacedMembership = Membership & { readonly full_path: string };

/**
 * The user's direct memberships in everything below a group, itself left out.
 * index: memberships_by_user, namespace_closure_pkey
 */
export async function membershipsBelow(db: Reader, groupId: number, userId: number): Promise<PlacedMembership[]> {
  const ofUser = (type: SourceType) =>
    db
      .selectFrom('memberships')
      .selectAll('memberships')
      .where('memberships.user_id', '=', userId)
      .where('memberships.source_type', '=', type);
  const inGroups = await ofUser('group')
    .innerJoin('namespace_closure as down', (join) =>
      join.onRef('down.descendant_id', '=', 'memberships.source_id').on('down.ancestor_id', '=', groupId),
    )
    .innerJoin('routes', 'routes.namespace_id', 'memberships.source_id')
    .select('routes.full_path')
    .where('down.depth', '>', 0)
    .execute();
  const inProjects = await ofUser('project')
    .innerJoin('projects', 'projects.id', 'memberships.source_id')
    .innerJoin('namespace_closure as down', (join) =>
      join.onRef('down.descendant_id', '=', 'projects.namespace_id').on('down.ancestor_id', '=', groupId),
    )
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select('routes.full_path')
    .execute();
  return [...inGroups, ...inProjects];
}

/** Some memberships whose last day has come, lowest id first. index: memberships_by_expiry */
export async function expiredMemberships(db: Reader, limit: number): Promise<Membership[]> {
  return db
    .selectFrom('memberships')
    .selectAll()
    .where('expires_at', '<=', db.today)
    .orderBy('expires_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Where members of a source come from: itself, then the groups above it. index: namespace_closure_pkey */
export async function sourcesOf(db: Reader, source: MemberSource): Promise<readonly Source[]> {
  const rows = await db
    .selectFrom('namespace_closure')
    .select('ancestor_id')
    .where('descendant_id', '=', source.namespaceId)
    .orderBy('depth')
    .execute();
  const groups = rows.map(({ ancestor_id }) => ({ type: 'group', id: ancestor_id }) as const);
  return source.type === 'group' ? groups : [source, ...groups];
}

export type Source = Pick<MemberSource, 'type' | 'id'>;

/**
 * Those of the sources that have members of their own: whoever looks for some of very many asks no others.
 * index: memberships_by_source
 */
export async function sourcesWithMembers(db: Reader, sources: readonly Source[]): Promise<readonly Source[]> {
  const has = ({ type, id }: Source) =>
    sql<SqlBool>`exists (select 1 from memberships where source_type = ${type} and source_id = ${id})`;
  const asked = db.selectNoFrom(sources.map((source, at) => truth(has(source)).as(`has_${at}`)));
  const answers = Object.values(await asked.executeTakeFirstOrThrow());
  return sources.filter((_, at) => answers[at] === 1);
}

/** Of more sources than this the members are gathered: asking each for those that no nearer one has takes the square of them. */
const FEW_SOURCES = 20;

/**
 * The members that these sources have, each once. A few sources' come from the index of each by user, those of the nearest
 * first, so that a page of them in that order reads no further. index: memberships_by_source
 */
export function membersOfAny(db: Reader, sources: readonly Source[]) {
  if (sources.length > FEW_SOURCES) return membersGathered(db, sources);
  const [first, ...others] = sources.map((source, at) => membersNotNearer(db, source, sources.slice(0, at)));
  return others.reduce((all, next) => all.unionAll(next), first!);
}

function membersGathered(db: Reader, sources: readonly Source[]) {
  return db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .distinct()
    .where((eb) =>
      eb.or(
        [...idsByType(sources)].map(([type, ids]) =>
          eb.and([eb('memberships.source_type', '=', type), isAmong(db, sql<number>`memberships.source_id`, ids)]),
        ),
      ),
    );
}

function membersNotNearer(db: Reader, source: Source, nearer: readonly Source[]) {
  const members = db
    .selectFrom('memberships')
    .select('memberships.user_id')
    .where('memberships.source_type', '=', source.type)
    .where('memberships.source_id', '=', source.id);
  if (nearer.length === 0) return members;
  return members.where(({ not }) => not(isMemberOfAny(db, nearer, sql.ref('memberships.user_id'))));
}

/** Is this user a member of one of these sources? index: memberships_by_source */
export function isMemberOfAny(db: Reader, sources: readonly Source[], userId: Expression<number>) {
  const eb = expressionBuilder<Schema, never>();
  const there = [...idsByType(sources)].map(([type, ids]) =>
    eb.exists(
      db
        .selectFrom('memberships as there')
        .select('there.id')
        .where('there.user_id', '=', userId)
        .where('there.source_type', '=', type)
        .where('there.source_id', 'in', ids),
    ),
  );
  return eb.or(there);
}

function idsByType(sources: readonly Source[]): ReadonlyMap<SourceType, readonly number[]> {
  const byType = Map.groupBy(sources, ({ type }) => type);
  return new Map([...byType].map(([type, all]) => [type, all.map(({ id }) => id)]));
}

/**
 * Of each of these users the membership that counts in these sources: the live one of the highest level. Who is only a
 * member whose last day has come is a member until that is removed (contract/planning.md §0 "Roles").
 * index: memberships_by_user
 */
export async function effectiveMemberships(
  db: Reader,
  sources: readonly Source[],
  userIds: readonly number[],
): Promise<Map<number, Membership>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('memberships')
    .selectAll()
    .where('user_id', 'in', userIds)
    .where((eb) =>
      eb.or(
        [...idsByType(sources)].map(([type, ids]) =>
          eb.and([eb('source_type', '=', type), eb('source_id', 'in', ids)]),
        ),
      ),
    )
    .orderBy(truth(isLive('expires_at', db.today)))
    .orderBy('access_level')
    .orderBy('source_type')
    .orderBy('id')
    .execute();
  // The last one of a user stays.
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** For the deletion of a user: ends each of its memberships, and those that it has made were made by nobody. */
export async function endMembershipsOf(uow: UnitOfWork, userId: number): Promise<void> {
  // index: memberships_by_user
  const own = await uow.selectFrom('memberships').selectAll().where('user_id', '=', userId).orderBy('id').execute();
  for (const membership of own) await endMembership(uow, membership);
  // index: memberships_by_created_by
  await uow.updateTable('memberships').set({ created_by_id: null }).where('created_by_id', '=', userId).execute();
}

/** Deletes what a group or project that is going away had of members; they leave no trace of their own. */
export async function deleteMembershipsOf(tx: Transaction, type: SourceType, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('memberships').where('source_type', '=', type).where('source_id', 'in', ids).execute();
}
