import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Queued and sent mails, the events that they report, and mentions of users. */
export const migration: Migration = {
  name: '0056_mail',
  async up(db, dialect) {
    await db.schema
      .createTable('mail_occurrences')
      .addColumn('id', ...dialect.id)
      .addColumn('key', dialect.text, (column) => column.notNull())
      .addColumn('note_id', dialect.integer)
      .addColumn('lead', dialect.text, (column) => column.notNull())
      .addColumn('content', dialect.text, (column) => column.notNull())
      .addColumn('path', dialect.text, (column) => column.notNull())
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('mail_occurrences_by_key').on('mail_occurrences').column('key').unique().execute();
    await db.schema
      .createIndex('mail_occurrences_by_created_at')
      .on('mail_occurrences')
      .columns(['created_at', 'id'])
      .execute();
    await db.schema
      .createTable('mail_messages')
      .addColumn('id', ...dialect.id)
      .addColumn('occurrence_id', dialect.integer, (column) =>
        column.notNull().references('mail_occurrences.id').onDelete('cascade'),
      )
      .addColumn('state', dialect.text, (column) => column.notNull())
      .addColumn('event', dialect.text, (column) => column.notNull())
      .addColumn('reason', dialect.text)
      .addColumn('mention', dialect.boolean, (column) => column.notNull())
      .addColumn('recipient_id', dialect.integer, (column) =>
        column.notNull().references('users.id').onDelete('cascade'),
      )
      .addColumn('recipient_email', dialect.text, (column) => column.notNull())
      // No foreign keys: project, group and target may be deleted before the mail, and very many mails may refer to one of them.
      .addColumn('project_id', dialect.integer)
      .addColumn('group_id', dialect.integer)
      .addColumn('target_type', dialect.text, (column) => column.notNull())
      .addColumn('target_id', dialect.integer, (column) => column.notNull())
      .addColumn('subject', dialect.text, (column) => column.notNull())
      .addColumn('message_id', dialect.text, (column) => column.notNull())
      .addColumn('in_reply_to', dialect.text)
      .addColumn('attempts', dialect.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .addColumn('last_error', dialect.text)
      .addColumn('next_attempt_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('lease_until', dialect.timestamp)
      .addColumn('digest_id', dialect.integer)
      .addColumn('created_at', dialect.timestamp, (column) => column.notNull())
      .addColumn('sent_at', dialect.timestamp)
      .addColumn('settled_at', dialect.timestamp)
      .addCheckConstraint(
        'mail_messages_state',
        sql`state in ('held', 'queued', 'sending', 'sent', 'failed', 'skipped')`,
      )
      .execute();
    await db.schema
      .createIndex('mail_messages_by_occurrence')
      .on('mail_messages')
      .columns(['occurrence_id', 'recipient_id'])
      .unique()
      .execute();
    for (const column of ['recipient_id', 'project_id', 'event', 'state']) {
      await db.schema
        .createIndex(`mail_messages_by_${column.replace(/_id$/, '')}`)
        .on('mail_messages')
        .columns([column, 'id'])
        .execute();
    }
    await db.schema
      .createIndex('mail_messages_by_target')
      .on('mail_messages')
      .columns(['target_id', 'target_type', 'id'])
      .execute();
    const createIndex = (name: string, columns: string, where: string) =>
      sql`create index ${sql.id(name)} on mail_messages (${sql.raw(columns)}) where ${sql.raw(where)}`.execute(db);
    await createIndex('mail_messages_due', 'next_attempt_at, id', "state = 'queued'");
    await createIndex('mail_messages_leased', 'lease_until, id', "state = 'sending'");
    await createIndex('mail_messages_waiting', 'recipient_email, id', "state = 'queued'");
    await createIndex('mail_messages_of_digest', 'digest_id, recipient_id', 'digest_id is not null');
    await createIndex('mail_messages_sent', 'recipient_email, sent_at', 'sent_at is not null');
    await createIndex('mail_messages_settled', 'settled_at, id', 'settled_at is not null');
    await db.schema
      .createTable('mail_mentions')
      .addColumn('user_id', dialect.integer, (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('issue_id', dialect.integer, (column) => column.references('issues.id').onDelete('cascade'))
      .addColumn('merge_request_id', dialect.integer, (column) =>
        column.references('merge_requests.id').onDelete('cascade'),
      )
      .addColumn('epic_id', dialect.integer, (column) => column.references('epics.id').onDelete('cascade'))
      .execute();
    await db.schema.createIndex('mail_mentions_by_user').on('mail_mentions').column('user_id').execute();
    for (const noteable of ['issue', 'merge_request', 'epic']) {
      await db.schema
        .createIndex(`mail_mentions_by_${noteable}`)
        .on('mail_mentions')
        .columns([`${noteable}_id`, 'user_id'])
        .unique()
        .where(sql.ref(`${noteable}_id`), 'is not', null)
        .execute();
    }
    // Partial indexes of settings at level `watch` or `custom`, or at `global`, which may inherit one of these.
    for (const [name, columns, source, levels] of [
      ['everywhere', 'user_id', 'group_id is null and project_id is null', "'watch', 'custom'"],
      ['group', 'group_id, user_id', 'group_id is not null', "'watch', 'custom', 'global'"],
      ['project', 'project_id, user_id', 'project_id is not null', "'watch', 'custom', 'global'"],
    ] as const) {
      await sql`create index ${sql.id(`notification_settings_curious_${name}`)}
        on notification_settings (${sql.raw(columns)})
        where ${sql.raw(`${source} and level in (${levels})`)}`.execute(db);
    }
    await sql`create index issues_due on issues (due_date, id) where state = 'opened' and due_date is not null`.execute(
      db,
    );
  },
};
