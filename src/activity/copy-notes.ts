import type { Transaction } from '#database/database.ts';
import { saidColumns } from './note-columns.ts';
import { columnOf, type Resource } from './resource.ts';

/**
 * Gives a thing the notes of another, in their order, as they are: with their authors, moments and threads; so many at
 * most, of which comments are the first to go along. They are in no feed, and counts are the caller's. index:
 * notes_by_issue_created
 */
export async function copyNotes(tx: Transaction, from: Resource, to: Resource, most: number): Promise<void> {
  await tx
    .insertInto('notes')
    .columns([columnOf(to.type), ...saidColumns])
    .expression((eb) =>
      eb
        .selectFrom('notes')
        .select(eb.lit(to.id).as('to'))
        .select(saidColumns)
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('notes')
            .select('id')
            .where(columnOf(from.type), '=', from.id)
            .orderBy('system')
            .orderBy('id')
            .limit(most),
        )
        .orderBy('id'),
    )
    .execute();
}
