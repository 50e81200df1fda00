import type { MailState } from '#database/tables/mail.ts';
import { done, type World } from '#test/support/world.ts';

// What the tests of mails begin with.

/** A mail in this state, which tells nobody of nothing. */
export function newMail(
  { server, root, name }: Pick<World, 'server' | 'root' | 'name'>,
  state: MailState,
  change: object = {},
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
        ...change,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return mail.id;
  });
}

export interface Mail {
  readonly id: number;
  readonly event: string;
  readonly reason: string | null;
  readonly recipient_id: number;
  readonly recipient_email: string;
  readonly subject: string;
  readonly in_reply_to: string | null;
}

type Filter = Readonly<Record<string, unknown>>;

/** What a world's server writes that keeps its mails (`HEARTH_MAIL_DELIVERY=outbox`). */
export function outboxOf({ root, work }: Pick<World, 'root' | 'work'>) {
  /** What has been written so far, the latest first. */
  async function mails(filter: Filter): Promise<readonly Mail[]> {
    await work();
    return (await done(root.get('/admin/mail_messages', { ...filter, per_page: 100 }))).body;
  }
  /** To whom goes what is written from now on, with event and reason: `12 new_note mentioned`. */
  async function toldBy(filter: Filter, doing: () => Promise<unknown>): Promise<string[]> {
    const [before] = await mails(filter);
    await doing();
    const fresh = (await mails(filter)).filter(({ id }) => id > (before?.id ?? 0));
    return fresh.map(({ recipient_id, event, reason }) => `${recipient_id} ${event} ${reason}`).sort();
  }
  return { mails, toldBy };
}
