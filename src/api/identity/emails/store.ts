import type { ExpressionBuilder } from 'kysely';
import { type Email, emailColumns } from '#authentication/users/emails.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** One page of a user's addresses, the oldest first. */
export async function listEmails(db: Reader, userId: number, page: OffsetRequest): Promise<Page<Email>> {
  // index: emails_by_user
  const found = db.selectFrom('emails').select(emailColumns).where('user_id', '=', userId).where(isShown);
  return paged(db, found.orderBy('emails.id', 'asc'), page);
}

/** One address of this user; those of others are none. */
export async function readEmail(db: Reader, userId: number, id: number): Promise<Email | null> {
  // index: emails primary key
  const found = db.selectFrom('emails').select(emailColumns).where('id', '=', id).where('user_id', '=', userId);
  return (await found.where(isShown).executeTakeFirst()) ?? null;
}

/** A primary address shows once it is confirmed, others at once: of what waits only the primary one is taken. */
function isShown(eb: ExpressionBuilder<Schema, 'emails'>) {
  return eb.or([eb('emails.confirmed_at', 'is not', null), eb('emails.taken_key', 'is', null)]);
}
