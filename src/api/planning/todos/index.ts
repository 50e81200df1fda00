import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { todosEndWithGroup, todosEndWithProject, todosOfLeavers } from './on-delete.ts';
import {
  followApprovals,
  followAwards,
  followChanges,
  followEdits,
  followOccurrences,
  tellOfConflicts,
} from './on-events.ts';
import { loseOfHidden, loseOfLeavers, loseOfNarrowed, loseOfTransferred } from './on-visibility-lost.ts';

export const todos = family({
  endpoints,
  subscriptions: [
    followOccurrences,
    followAwards,
    followApprovals,
    followChanges,
    followEdits,
    tellOfConflicts,
    loseOfLeavers,
    loseOfTransferred,
    loseOfNarrowed,
    loseOfHidden,
    todosOfLeavers,
    todosEndWithProject,
    todosEndWithGroup,
  ],
});
