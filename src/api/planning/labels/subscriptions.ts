import { sql } from 'kysely';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { ownReach, type Reach } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { LabelListed } from './store.ts';

/** Who is told where a label is put on: of the things of a project, or everywhere (contract/planning.md §3.5). */

/** To which of these labels the caller is subscribed, seen where they are shown. index: label_subscriptions_by_label */
export async function labelsSubscribedTo(
  db: Reader,
  { user }: Caller,
  labels: readonly Pick<LabelListed, 'id' | 'shown_in'>[],
): Promise<ReadonlySet<number>> {
  if (user === null || labels.length === 0) return new Set();
  const ids = labels.map(({ id }) => id);
  const rows = await db
    .selectFrom('label_subscriptions')
    .select(['label_id', 'project_id'])
    .where('user_id', '=', user.id)
    .where(isAmong(db, sql<number>`label_id`, ids))
    .execute();
  const shownIn = new Map(labels.map(({ id, shown_in }) => [id, shown_in]));
  const counts = rows.filter(({ label_id, project_id }) => project_id === null || project_id === shownIn.get(label_id));
  return new Set(counts.map(({ label_id }) => label_id));
}

/** Subscribes the caller to the label, or ends that, through this project or, everywhere, through a group. */
export async function subscribeToLabel<Label extends LabelListed>(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  label: Label,
  wished: boolean,
): Promise<Label | Failure<'already'>> {
  const is = await labelsSubscribedTo(uow, uow.actor, [label]);
  if (is.has(label.id) === wished) return fail('already');
  const { projectId }: Reach = ownReach(parent);
  const said = { labelId: label.id, userId: uow.actor.user.id, projectId };
  // Who is told everywhere needs no project besides, and who leaves a project is told there no more for whatever reason.
  if (!wished || projectId === null) await unsubscribe(uow, said);
  if (wished) await subscribe(uow, said);
  return label;
}

interface Said {
  readonly labelId: number;
  readonly userId: number;
  /** Null: everywhere. */
  readonly projectId: number | null;
}

async function subscribe(tx: Transaction, { labelId, userId, projectId }: Said): Promise<void> {
  await tx
    .insertInto('label_subscriptions')
    .values({ label_id: labelId, user_id: userId, project_id: projectId, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function unsubscribe(tx: Transaction, { labelId, userId, projectId }: Said): Promise<void> {
  const own = tx.deleteFrom('label_subscriptions').where('label_id', '=', labelId).where('user_id', '=', userId);
  await (projectId === null
    ? own
    : own.where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
  ).execute();
}
