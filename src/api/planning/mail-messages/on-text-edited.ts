import { subscription } from '#events/event-bus.ts';
import { isMailEnabled } from './notify.ts';
import { findMentionedUserIds } from './recipients/mentioned-users.ts';
import { insertMentions } from './store.ts';
import { findNoteableSubject } from './subjects/noteable.ts';

/** When a text is edited: mentioned users become participants without a mail; for internal comments only those who may read them. */
export const onTextUpdated = subscription({
  event: 'text-updated',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { about, of, text, internal }) {
    if (of === 'title') return;
    const mentionedIds = await findMentionedUserIds(uow, text);
    if (mentionedIds.length === 0) return;
    const subject = internal ? await findNoteableSubject(uow, about) : null;
    await insertMentions(uow, about, subject === null ? mentionedIds : await subject.readers(uow, mentionedIds, true));
  },
});
