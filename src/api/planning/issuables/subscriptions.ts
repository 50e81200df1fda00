import { sql } from 'kysely';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { LabelledKind } from './kind.ts';

/** Who is told of a thing. */

interface Said {
  readonly id: number;
  readonly userId: number;
  readonly subscribed: boolean;
}

/**
 * What a user says himself of being told of a thing; it stands before what he does there.
 * index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic
 */
export async function saySubscribed(
  tx: Transaction,
  kind: LabelledKind,
  { id, userId, subscribed }: Said,
): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values({ [kind.id]: id, user_id: userId, subscribed, created_at: tx.now, updated_at: tx.now } as {
      issue_id: number;
      user_id: number;
      subscribed: boolean;
      created_at: string;
      updated_at: string;
    })
    .onConflict((conflict) =>
      conflict
        .columns([kind.id as 'issue_id', 'user_id'])
        .where(kind.id as 'issue_id', 'is not', null)
        .doUpdateSet({ subscribed, updated_at: tx.now }),
    )
    .execute();
}

interface Followed {
  readonly id: number;
  readonly author_id: number;
  /** 1: the caller is among its assignees. */
  readonly assigned?: 0 | 1;
}

/** To which of these the caller is subscribed: by what he has said, else as author, assignee or commenter. index: subscriptions_by_issue */
export async function isSubscribedTo(
  db: Reader,
  kind: LabelledKind,
  { user }: Caller,
  things: readonly Followed[],
): Promise<ReadonlySet<number>> {
  if (user === null) return new Set();
  const thing = sql.ref<number>(kind.id);
  const said = await db
    .selectFrom('subscriptions')
    .select([thing.as('id'), 'subscribed'])
    .where('user_id', '=', user.id)
    .where(
      isAmong(
        db,
        thing,
        things.map(({ id }) => id),
      ),
    )
    .execute();
  const byId = new Map(said.map(({ id, subscribed }) => [id, subscribed]));
  const isOwn = ({ author_id, assigned }: Followed) => author_id === user.id || assigned === 1;
  const others = things.filter((one) => !byId.has(one.id) && !isOwn(one)).map(({ id }) => id);
  const commented = await commentedBy(db, kind, user.id, others);
  const is = (one: Followed) => byId.get(one.id) ?? (isOwn(one) || commented.has(one.id));
  return new Set(things.filter(is).map(({ id }) => id));
}

/** On which of these somebody has said something. index: notes_by_issue_created */
async function commentedBy(
  db: Reader,
  kind: LabelledKind,
  userId: number,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const thing = sql.ref<number>(kind.id);
  const rows = await db
    .selectFrom('notes')
    .select(thing.as('id'))
    .distinct()
    .where(isAmong(db, thing, ids))
    .where('author_id', '=', userId)
    .where('system', '=', false)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Tells the caller of the thing from now on, or no longer; refused when it is so already. */
export async function subscribeTo<Thing extends Followed>(
  uow: UnitOfWork<SignedInCaller>,
  kind: LabelledKind,
  thing: Thing,
  subscribed: boolean,
): Promise<Thing | Failure<'already'>> {
  const is = (await isSubscribedTo(uow, kind, uow.actor, [thing])).has(thing.id);
  if (is === subscribed) return fail('already');
  await saySubscribed(uow, kind, { id: thing.id, userId: uow.actor.user.id, subscribed });
  return thing;
}
