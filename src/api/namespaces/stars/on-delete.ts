import { PIECE } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { removeSomeStars } from './store.ts';

/** The stars of a deleted user go with him. Those of a destroyed project go by their foreign key. */
export const forgetStars = subscription({
  event: 'user-deleted',
  async inTransaction(uow, { userId }) {
    while ((await removeSomeStars(uow, userId, PIECE)) === PIECE);
  },
});
