import type { Transaction } from '#database/database.ts';
import { noteContentColumns } from './note-columns.ts';
import { getForeignKeyColumn, type Resource } from './resource.ts';

/**
 * Copies up to `limit` notes of one noteable to another, unchanged, in their order, comments before system notes.
 * Records no activity events. The caller updates counters.
 * index: notes_by_issue_created
 */
export async function copyNotes(tx: Transaction, from: Resource, to: Resource, limit: number): Promise<void> {
  await tx
    .insertInto('notes')
    .columns([getForeignKeyColumn(to.type), ...noteContentColumns])
    .expression((eb) =>
      eb
        .selectFrom('notes')
        .select(eb.lit(to.id).as('to'))
        .select(noteContentColumns)
        .where('id', 'in', (inner) =>
          inner
            .selectFrom('notes')
            .select('id')
            .where(getForeignKeyColumn(from.type), '=', from.id)
            .orderBy('system')
            .orderBy('id')
            .limit(limit),
        )
        .orderBy('id'),
    )
    .execute();
}
