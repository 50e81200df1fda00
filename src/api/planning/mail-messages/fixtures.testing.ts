import type { MailState } from '#database/schema.ts';
import { expectSuccess, type World } from '#test/support/world.ts';

// Fixtures for tests of mails.

/** Inserts a mail in this state about an issue that does not exist, and returns its id. `columns` overrides column values. */
export function createMail(
  { server, root, name }: Pick<World, 'server' | 'root' | 'name'>,
  state: MailState,
  columns: object = {},
): Promise<number> {
  return server.services.database.transaction(async (tx) => {
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
        mention: false,
        recipient_id: root.id,
        recipient_email: 'root@hearth.test',
        target_type: 'Issue',
        target_id: 999_999,
        subject: 'Anvil | Retry loop spins (#3)',
        message_id: '<issue_999999@hearth.test>',
        next_attempt_at: tx.now,
        created_at: tx.now,
        ...columns,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return mail.id;
  });
}

interface MailJson {
  readonly id: number;
  readonly event: string;
  readonly reason: string | null;
  readonly recipient_id: number;
  readonly recipient_email: string;
  readonly subject: string;
  readonly in_reply_to: string | null;
}

type MailQueryParams = Readonly<Record<string, unknown>>;

/** Helpers for a server that stores mails without sending (`HEARTH_MAIL_DELIVERY=outbox`). */
export function mailOutbox({ root, runJobs }: Pick<World, 'root' | 'runJobs'>) {
  /** Returns the mails written so far, newest first. */
  async function mails(filter: MailQueryParams): Promise<readonly MailJson[]> {
    await runJobs();
    return (await expectSuccess(root.get('/admin/mail_messages', { ...filter, per_page: 100 }))).body;
  }
  /** Returns `<recipient> <event> <reason>` for each mail that the action causes: `12 new_note mentioned`. */
  async function recipientsOf(filter: MailQueryParams, action: () => Promise<unknown>): Promise<string[]> {
    const [before] = await mails(filter);
    await action();
    const newMails = (await mails(filter)).filter(({ id }) => id > (before?.id ?? 0));
    return newMails.map(({ recipient_id, event, reason }) => `${recipient_id} ${event} ${reason}`).sort();
  }
  return { mails, recipientsOf };
}
