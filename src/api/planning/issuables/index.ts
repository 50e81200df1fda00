/**
 * What issues, merge requests and epics have alike: no family with endpoints of its own, but what theirs are put together of.
 */

export { recordChangedThing, recordNewThing, recordState } from './activity.ts';
export { assign, assigneesOf } from './assignees.ts';
export { differing, sameSet, stateAfter } from './changes.ts';
export { removeThing } from './delete.ts';
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
} from './entities.ts';
export {
  byIds,
  dueCondition,
  type IdOrWord,
  notConditions,
  sharedConditions,
  valueCondition,
} from './filters/conditions.ts';
export { DUE_DATES } from './filters/dates.ts';
export { allIn, counted, narrowedIds, seenIn, type ThingIds, type ThingsOf } from './filters/listing.ts';
export { idOrWord, integerOr, whichParams, wordsAndTimesParams } from './filters/parameters.ts';
export { type Condition, rarest } from './filters/query-strategy.ts';
export { everywhere, me, scoped, scopeType } from './filters/scope.ts';
export { unchangedOnly } from './if-unmodified.ts';
export { IMPORTED, newlyMade, type Past } from './import.ts';
export { EPICS, ISSUES, KINDS, type Kind, MERGE_REQUESTS, type Range, REVIEWED } from './kind.ts';
export { type LabelWish, label, labelImported, labelsKnown, labelsOn, wishedLabels } from './labels.ts';
export { milestoneLike } from './milestones.ts';
export { endWithGroup, endWithProject, handToGhost, removeSomeNotes } from './on-delete.ts';
export { unassignWhoLeaves } from './on-membership-ended.ts';
export { bringIntoReach } from './on-transfer.ts';
export { firstPosition, type Line, lastPosition, moveInLine, type Neighbours } from './ordering/manual-order.ts';
export { type Computed, labelPriority, lastWithout, lastWithoutComputed } from './ordering/orders.ts';
export { GAP } from './ordering/positions.ts';
export { listParticipants } from './participants.ts';
export { tellChanged } from './publish-changes.ts';
export { wishedAssignees, wishedMilestone, wishedUsers } from './requested-values.ts';
export { isSubscribedTo, saySubscribed, subscribeTo } from './subscriptions.ts';
export { codeIn, MOST_PLACES } from './text/code.ts';
export { fullReference, tellMentioned, tellReworded } from './text/mentions.ts';
export { besideTexts, newTexts, titleErrors } from './text/texts.ts';
export { humanDuration, readDuration } from './time/durations.ts';
export { timeTracking } from './time/endpoints.ts';
export { estimate, resetEstimate, resetSpent, spend } from './time/time-tracking.ts';
export { thingVisibleTo } from './visibility.ts';
