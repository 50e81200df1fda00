import { subscription } from '#events/event-bus.ts';
import { writesMails } from './notify.ts';
import { usersNamedIn } from './recipients/mentioned-users.ts';
import { rememberMentioned } from './store.ts';
import { findTold } from './subjects/noteable.ts';

/** Whom an edit names takes part from then on, though no mail tells of it; by an internal comment only those who may read it. */
export const rememberNamedInEdits = subscription({
  event: 'reworded',
  when: writesMails,
  async inTransaction(uow, { about, of, text, internal }) {
    if (of === 'title') return;
    const named = await usersNamedIn(uow, text);
    if (named.length === 0) return;
    const told = internal ? await findTold(uow, about) : null;
    await rememberMentioned(uow, about, told === null ? named : await told.readers(uow, named, true));
  },
});
