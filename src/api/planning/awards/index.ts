/**
 * Emoji that people award to things, and to notes on them: no family with endpoints of its own, but what its endpoints and
 * quick actions do.
 */
export { type Awarded, award, revoke, toggleAward } from './award.ts';
export { emojiNamed } from './emoji.ts';
export { awardsOutliveUsers } from './on-delete.ts';
export { type AwardRow, findAward, listAwards } from './store.ts';
