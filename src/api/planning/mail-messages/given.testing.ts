import type { World } from '../../../../test/world.ts';
import type { MailState } from '../../../database/tables/mail.ts';

// What the tests of mails begin with.

/** A mail in this state, which tells nobody of nothing. */
export function newMail(
  { server, root, name }: Pick<World, 'server' | 'root' | 'name'>,
  state: MailState,
  change: object = {},
): Promise<number> {
  return server.rooms.database.transaction(async (tx) => {
    const occurrence = await tx
      .insertInto('mail_occurrences')
      .values({ key: name('occurrence'), note_id: null, lead: '', content: '', path: '/', created_at: tx.now })
      .returning('id')
      .executeTakeFirstOrThrow();
    const mail = await tx
      .insertInto('mail_messages')
      .values({
        occurrence_id: occurrence.id,
        state,
        event: 'new_issue',
        recipient_id: root.id,
        recipient_email: 'root@hearth.test',
        target_type: 'Issue',
        target_id: 999_999,
        subject: 'Anvil | Retry loop spins (#3)',
        message_id: '<issue_999999@hearth.test>',
        next_attempt_at: tx.now,
        created_at: tx.now,
        ...change,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return mail.id;
  });
}
