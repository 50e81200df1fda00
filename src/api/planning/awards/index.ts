/**
 * Award emoji on issuables and notes, for the endpoints and quick actions of other modules. It declares no endpoints of its own.
 */
export { type Awardable, createAward, findEmojiName, removeAward, toggleAward } from './award.ts';
export { onAwardUserDeleted } from './on-delete.ts';
export { type AwardRow, findAward, listAwards } from './store.ts';
