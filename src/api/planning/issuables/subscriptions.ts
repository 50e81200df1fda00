import type { Transaction } from '../../../database/database.ts';
import type { Kind } from './kind.ts';

interface Said {
  readonly id: number;
  readonly userId: number;
  readonly subscribed: boolean;
}

/** What a user says himself of being told of a thing; it stands before what he does there. index: subscriptions_by_issue */
export async function saySubscribed(tx: Transaction, kind: Kind, { id, userId, subscribed }: Said): Promise<void> {
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
      conflict.columns([kind.id as 'issue_id', 'user_id']).doUpdateSet({ subscribed, updated_at: tx.now }),
    )
    .execute();
}
