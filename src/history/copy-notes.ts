import type { Transaction } from '../database/database.ts';
import { columnOf, type Resource } from './resource.ts';

/**
 * Gives a thing all notes of another, in their order, as they are: with their authors, moments and threads. They are in
 * no feed, and counts are the caller's. index: notes_by_issue_created
 */
export async function copyNotes(tx: Transaction, from: Resource, to: Resource): Promise<void> {
  const copied = [
    'discussion_id',
    'type',
    'author_id',
    'body',
    'system',
    'kind',
    'mentioning_issue_id',
    'mentioning_merge_request_id',
    'mentioning_epic_id',
    'internal',
    'imported_from',
    'created_at',
    'updated_at',
  ] as const;
  await tx
    .insertInto('notes')
    .columns([columnOf(to.type), ...copied])
    .expression((eb) =>
      eb
        .selectFrom('notes')
        .select(eb.lit(to.id).as('to'))
        .select(copied)
        .where(columnOf(from.type), '=', from.id)
        .orderBy('id'),
    )
    .execute();
}
