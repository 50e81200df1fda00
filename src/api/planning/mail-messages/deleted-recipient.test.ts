import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BATCH_SIZE } from '#events/batches.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createMail } from './fixtures.testing.ts';

const here = await world();
const { root, user, runJobs, server } = here;
const { database } = server.services;

test('deletes the mails to a deleted user in batches and keeps all others', async () => {
  const [gone, left] = [await user(), await user()];
  const to = ({ id }: { readonly id: number }) => ({ recipient_id: id });
  const one = await createMail(here, 'sent', to(gone));
  await createMail(here, 'sent', to(left));
  await database.transaction(async (tx) => {
    const { id: _id, ...like } = await tx
      .selectFrom('mail_messages')
      .selectAll()
      .where('id', '=', one)
      .executeTakeFirstOrThrow();
    const row = { key: '', note_id: null, lead: '', content: '', path: '/', created_at: tx.now };
    const keys = Array.from({ length: BATCH_SIZE }, (_, index) => ({ ...row, key: `many ${index}` }));
    const made = await tx.insertInto('mail_occurrences').values(keys).returning('id').execute();
    const mails = made.map(({ id }) => ({ ...like, occurrence_id: id }));
    await tx.insertInto('mail_messages').values(mails).execute();
  });
  await expectSuccess(root.delete(`/users/${gone.id}`));
  await runJobs();
  const mails = database.reader.selectFrom('mail_messages').select('recipient_id').distinct();
  assert.deepEqual(await mails.where('recipient_id', 'in', [gone.id, left.id]).execute(), [to(left)]);
});
