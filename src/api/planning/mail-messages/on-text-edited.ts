import { defineSubscription } from '#events/event-bus.ts';
import { isMailEnabled } from './notify.ts';
import { findMentionedUserIds } from './recipients/mentioned-users.ts';
import { insertMentions } from './store.ts';
import { findTargetReaders } from './subjects/target-readers.ts';

/** Records the users mentioned in an edited text as participants, without a mail. Of an internal comment, only its readers are recorded. */
export const onTextUpdated = defineSubscription({
  event: 'text-updated',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { about: target, field, text, internal }) {
    if (field === 'title') return;
    const mentionedIds = await findMentionedUserIds(uow, text);
    if (mentionedIds.length === 0) return;
    const readers = internal ? await findTargetReaders(uow, target) : null;
    await insertMentions(
      uow,
      target,
      readers === null ? mentionedIds : await readers.filterReaders(uow, mentionedIds, internal),
    );
  },
});
