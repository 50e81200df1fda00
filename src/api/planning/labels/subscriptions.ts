import { sql } from 'kysely';
import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type NamespaceScope, selfOnly } from '#domain/namespaces/scope.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import type { LabelListRow } from './store.ts';

// Subscriptions to labels: for the issuables of one project, or everywhere (contract/planning.md §3.5).

/** Returns the ids of the labels to which the caller is subscribed, everywhere or in the project for which they are listed (`listed_for_project_id`). index: label_subscriptions_by_label */
export async function findSubscribedLabelIds(
  db: Reader,
  { user }: Caller,
  labels: readonly Pick<LabelListRow, 'id' | 'listed_for_project_id'>[],
): Promise<ReadonlySet<number>> {
  if (user === null || labels.length === 0) return new Set();
  const ids = labels.map(({ id }) => id);
  const rows = await db
    .selectFrom('label_subscriptions')
    .select(['label_id', 'project_id'])
    .where('user_id', '=', user.id)
    .where(isInIds(db, sql<number>`label_id`, ids))
    .execute();
  const projectIdsByLabelId = new Map(labels.map((label) => [label.id, label.listed_for_project_id]));
  const effectiveRows = rows.filter(
    ({ label_id, project_id }) => project_id === null || project_id === projectIdsByLabelId.get(label_id),
  );
  return new Set(effectiveRows.map(({ label_id }) => label_id));
}

/** Subscribes or unsubscribes the caller: in this project, or everywhere if the parent is a group. Fails if nothing changes. */
export async function setLabelSubscription<Label extends LabelListRow>(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  label: Label,
  subscribed: boolean,
): Promise<Label | Failure<'subscriptionUnchanged'>> {
  const subscribedIds = await findSubscribedLabelIds(uow, uow.actor, [label]);
  if (subscribedIds.has(label.id) === subscribed) return fail('subscriptionUnchanged');
  const { projectId }: NamespaceScope = selfOnly(parent);
  const subscription = { labelId: label.id, userId: uow.actor.user.id, projectId };
  // A subscription everywhere replaces those of projects. Unsubscribing in a project ends a subscription everywhere too.
  if (!subscribed || projectId === null) await unsubscribe(uow, subscription);
  if (subscribed) await subscribe(uow, subscription);
  return label;
}

interface LabelSubscription {
  readonly labelId: number;
  readonly userId: number;
  /** Null means everywhere. */
  readonly projectId: number | null;
}

async function subscribe(tx: Transaction, { labelId, userId, projectId }: LabelSubscription): Promise<void> {
  await tx
    .insertInto('label_subscriptions')
    .values({ label_id: labelId, user_id: userId, project_id: projectId, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function unsubscribe(tx: Transaction, { labelId, userId, projectId }: LabelSubscription): Promise<void> {
  const userSubscriptions = tx
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId);
  await (projectId === null
    ? userSubscriptions
    : userSubscriptions.where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
  ).execute();
}
