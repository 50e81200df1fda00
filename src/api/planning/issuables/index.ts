/**
 * What issues, merge requests and epics have alike: no family with endpoints of its own, but what theirs are put together of.
 */
export { assign, assigneesOf } from './assignees.ts';
export { type Condition, rarest } from './candidates.ts';
export { differing, sameSet, stateAfter } from './changed.ts';
export { codeIn, MOST_PLACES } from './code.ts';
export {
  byIds,
  dueCondition,
  type IdOrWord,
  notConditions,
  sharedConditions,
  valueCondition,
} from './conditions.ts';
export { DUE_DATES } from './dates.ts';
export { humanDuration, readDuration } from './durations.ts';
export { endWithGroup, endWithProject, handToGhost, removeSomeNotes } from './ends.ts';
export { idOrWord, integerOr, whichParams, wordsAndTimesParams } from './filter-parameters.ts';
export { recordChangedThing, recordNewThing, recordState } from './history.ts';
export { IMPORTED, newlyMade, type Past } from './imported.ts';
export { EPICS, ISSUES, KINDS, type Kind, MERGE_REQUESTS, type Range, REVIEWED } from './kind.ts';
export { type LabelWish, label, labelImported, labelsKnown, labelsOn, wishedLabels } from './labels.ts';
export { firstPosition, type Line, lastPosition, moveInLine, type Neighbours } from './line.ts';
export { allIn, counted, narrowedIds, seenIn, type ThingIds, type ThingsOf } from './listing.ts';
export { fullReference, tellMentioned, tellReworded } from './mentions.ts';
export { milestoneLike } from './milestones.ts';
export { type Computed, labelPriority, lastWithout, lastWithoutComputed } from './orders.ts';
export { bringIntoReach } from './out-of-reach.ts';
export { listParticipants } from './participants.ts';
export { GAP } from './positions.ts';
export { removeThing } from './remove.ts';
export { everywhere, me, scoped, scopeType } from './scope.ts';
export {
  besideListed,
  besideThings,
  labelsInList,
  placesOf,
  references,
  referencesTo,
  type SeenFrom,
  TimeStats,
  taskCompletionStatus,
} from './shown.ts';
export { isSubscribedTo, saySubscribed, subscribeTo } from './subscriptions.ts';
export { tellChanged } from './tell-changed.ts';
export { besideTexts, newTexts, titleErrors } from './texts.ts';
export { thingVisibleTo } from './thing-visible.ts';
export { estimate, resetEstimate, resetSpent, spend } from './time.ts';
export { timeTracking } from './time-endpoints.ts';
export { unassignWhoLeaves } from './unassign.ts';
export { unchangedOnly } from './unchanged.ts';
export { wishedAssignees, wishedMilestone, wishedUsers } from './wished.ts';
