import { subscription } from '../../../facts/bus.ts';
import { countStars, removeStarsOf } from './store.ts';

/** The stars of a deleted user go with him. Those of a destroyed project go by their foreign key. */
export const forgetStars = subscription({
  fact: 'user-deleted',
  async inTransaction(act, { userId }) {
    const starred = await removeStarsOf(act, userId);
    await countStars(act, starred, -1);
  },
});
