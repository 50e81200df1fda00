import type { ThingKind, ThingOfProject } from '../../../http/access/things.ts';
import { epicThing } from '../epics/index.ts';
import { issueThing } from '../issues/index.ts';

/** The kinds of things that others hang on: no family with endpoints of its own, but what theirs are declared for. */
export const THINGS: readonly [ThingKind, ThingKind] = [issueThing, epicThing];

/** Those that have a milestone. */
export const WITH_MILESTONE: readonly [ThingKind<ThingOfProject>] = [issueThing];

export { shownStep, stepFields, stepsOutliveUsers, stepUsers } from './steps.ts';
