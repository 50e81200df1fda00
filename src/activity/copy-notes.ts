import type { Transaction } from '#database/database.ts';
import { getForeignKeyColumn, type Resource } from './resource.ts';

/**
 * Copies up to `limit` notes of one noteable to another, unchanged and in their order. Comments take precedence over system
 * notes. Records no activity events. The caller updates counters. index: notes_by_issue_created
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

/** Maximum number of notes on one noteable; system notes may exceed it. */
export const MAX_NOTES_PER_NOTEABLE = 5_000;

/** Columns of a note without its noteable. */
const noteContentColumns = [
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
  'resolved_at',
  'resolved_by_id',
  'position',
  'commit_sha',
  'imported_from',
  'created_at',
  'updated_at',
] as const;

/** All columns of a note. */
export const noteColumns = [
  'id',
  'issue_id',
  'merge_request_id',
  'epic_id',
  'commented_commit_id',
  'snippet_id',
  ...noteContentColumns,
] as const;
