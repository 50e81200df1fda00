import { type SqlBool, sql } from 'kysely';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type IssuableTables, type LabelableTables, memoizeByTables } from './kind.ts';

interface SubscriptionValue {
  /** Id of the issuable. */
  readonly id: number;
  readonly userId: number;
  readonly subscribed: boolean;
}

/**
 * Stores an explicit subscription or unsubscription of a user; it overrides the implicit subscription of participants.
 * index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic
 */
export async function setSubscribed(
  tx: Transaction,
  tables: LabelableTables,
  { id, userId, subscribed }: SubscriptionValue,
): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ [tables.foreignKey]: id, user_id: userId, subscribed, created_at: tx.now, updated_at: tx.now })
    .onConflict((conflict) =>
      conflict
        .columns([tables.foreignKey as 'issue_id', 'user_id'])
        .where(tables.foreignKey as 'issue_id', 'is not', null)
        .doUpdateSet({ subscribed, updated_at: tx.now }),
    )
    .execute();
}

interface Subscribable {
  readonly id: number;
}

/**
 * Returns the ids of the issuables to which the caller is subscribed. An explicit choice of the caller decides; without one, authors,
 * assignees and commenters are subscribed.
 */
export async function findSubscribedIds(
  db: Reader,
  tables: LabelableTables,
  { user }: Caller,
  issuables: readonly Subscribable[],
): Promise<ReadonlySet<number>> {
  if (user === null) return new Set();
  const ids = issuables.map(({ id }) => id);
  const rows = await selectSubscribed(tables)(db, ids, { user: user.id });
  return new Set(rows.map(({ id }) => id));
}

// index: subscriptions_by_issue, issue_assignees_by_issue, notes_by_author, notes_by_issue_created
const selectSubscribed = memoizeByTables((tables: LabelableTables) =>
  prepareForIds<{ id: number }, { user: number }>((db, ids, value) => {
    const isOfUser = (table: string, userColumn: string) =>
      sql`${sql.ref(`${table}.${tables.foreignKey}`)} = ${sql.ref(`${tables.table}.id`)}
        and ${sql.ref(`${table}.${userColumn}`)} = ${value('user')}`;
    const explicitChoice = sql`(select case when subscribed then 1 else 0 end from subscriptions
      where ${isOfUser('subscriptions', 'user_id')})`;
    const { assigneeTable } = tables;
    const isAssignee =
      assigneeTable === null
        ? sql``
        : sql`when exists (select 1 from ${sql.table(assigneeTable)} where ${isOfUser(assigneeTable, 'user_id')}) then 1`;
    const isParticipant = sql`case when ${sql.ref(`${tables.table}.author_id`)} = ${value('user')} then 1 ${isAssignee}
      when exists (select 1 from notes where ${isOfUser('notes', 'author_id')} and system = false) then 1 else 0 end`;
    return db
      .selectFrom(tables.table)
      .select(`${tables.table}.id`)
      .where(`${tables.table}.id`, 'in', ids)
      .where(sql<SqlBool>`coalesce(${explicitChoice}, ${isParticipant}) = 1`);
  }),
);

/** Subscribes or unsubscribes the caller. Fails with `subscriptionUnchanged` if nothing changes. */
export async function updateSubscription<Issuable extends Subscribable>(
  uow: UnitOfWork<SignedInCaller>,
  tables: LabelableTables,
  issuable: Issuable,
  subscribed: boolean,
): Promise<Issuable | Failure<'subscriptionUnchanged'>> {
  const isSubscribed = (await findSubscribedIds(uow, tables, uow.actor, [issuable])).has(issuable.id);
  if (isSubscribed === subscribed) return fail('subscriptionUnchanged');
  await setSubscribed(uow, tables, { id: issuable.id, userId: uow.actor.user.id, subscribed });
  return issuable;
}

interface ParticipantOptions {
  /** Whether authors of internal notes are included: for callers who may read these notes. */
  readonly includeInternal: boolean;
}

/**
 * Returns a page of the participants: the author, the assignees (and reviewers) in each of `tables`, and the authors of the comments
 * that the caller may read.
 */
export function listParticipants(
  db: Reader,
  tables: readonly [IssuableTables, ...IssuableTables[]],
  { id, author_id }: { readonly id: number; readonly author_id: number },
  { includeInternal }: ParticipantOptions,
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  const foreignKey = sql.ref(tables[0].foreignKey);
  // index: issue_assignees_by_issue, merge_request_assignees_by_merge_request, merge_request_reviewers_by_merge_request
  const assigneeIds = tables.map(
    ({ assigneeTable }) => sql`select user_id from ${sql.table(assigneeTable)} where ${foreignKey} = ${id}`,
  );
  // index: notes_by_issue_created, notes_by_merge_request_created
  const commenterIds = sql`select author_id from notes where ${foreignKey} = ${id} and system = false`;
  const readableCommenterIds = includeInternal ? commenterIds : sql`${commenterIds} and internal = false`;
  // A single `in` with a union: with several `or` conditions PostgreSQL would scan all users.
  const participantIds = sql.join([sql`select ${author_id}`, ...assigneeIds, readableCommenterIds], sql` union all `);
  const participants = db
    .selectFrom('users')
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .where(sql<SqlBool>`users.id in (${participantIds})`);
  return paginate(db, participants.orderBy('users.id'), page);
}
