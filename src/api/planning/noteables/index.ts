import type { ThingKind, ThingOfProject } from '#http/access/noteables.ts';
import { epicThing } from '../epics/index.ts';
import { issueThing } from '../issues/index.ts';
import { mergeRequestThing } from '../merge-requests/index.ts';

/** The kinds of things that others hang on: no family with endpoints of its own, but what theirs are declared for. */
export const THINGS: readonly [ThingKind, ThingKind, ThingKind] = [issueThing, mergeRequestThing, epicThing];

/** Those that have a milestone. */
export const WITH_MILESTONE: readonly [ThingKind<ThingOfProject>, ThingKind<ThingOfProject>] = [
  issueThing,
  mergeRequestThing,
];

export { eventIdOf } from './event-id.ts';
export { ownerVisibleTo } from './owner-visibility.ts';
export { shownStep, shownStepper, stepFields, stepperFields, stepsOutliveUsers, stepUsers } from './resource-events.ts';
