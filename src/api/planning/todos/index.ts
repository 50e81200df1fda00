import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import {
  followApprovals,
  followAwards,
  followChanges,
  followEdits,
  followOccurrences,
  tellOfConflicts,
} from './happenings.ts';
import { todosEndWithGroup, todosEndWithProject, todosOfLeavers } from './leaving.ts';
import { loseOfHidden, loseOfLeavers, loseOfNarrowed, loseOfTransferred } from './lose.ts';

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
