import type { ExpressionBuilder } from 'kysely';
import { type Email, emailColumns } from '#authentication/users/emails.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Returns one page of a user's addresses, ordered by id. */
export async function listEmails(db: Reader, userId: number, page: OffsetRequest): Promise<Page<Email>> {
  // index: emails_by_user
  const query = db.selectFrom('emails').select(emailColumns).where('user_id', '=', userId).where(isListed);
  return paginate(db, query.orderBy('emails.id', 'asc'), page);
}

/** Returns an address of this user, or null if there is none or it belongs to another user. */
export async function findEmail(db: Reader, userId: number, id: number): Promise<Email | null> {
  // index: emails primary key
  const query = db.selectFrom('emails').select(emailColumns).where('id', '=', id).where('user_id', '=', userId);
  return (await query.where(isListed).executeTakeFirst()) ?? null;
}

/**
 * Returns the condition for listed addresses: secondary ones at once, primary ones once they are confirmed. Of unconfirmed
 * addresses, only primary ones have a `taken_key`.
 */
function isListed(eb: ExpressionBuilder<Schema, 'emails'>) {
  return eb.or([eb('emails.confirmed_at', 'is not', null), eb('emails.taken_key', 'is', null)]);
}
