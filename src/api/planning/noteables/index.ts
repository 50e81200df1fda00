import type { IssuableKind, ProjectIssuable } from '#http/access/noteables.ts';
import { epicNoteable } from '../epics/index.ts';
import { issueNoteable } from '../issues/index.ts';
import { mergeRequestNoteable } from '../merge-requests/index.ts';

/** The issuable types for which other modules declare endpoints. This module declares no endpoints of its own. */
export const ISSUABLE_KINDS: readonly [IssuableKind, IssuableKind, IssuableKind] = [
  issueNoteable,
  mergeRequestNoteable,
  epicNoteable,
];

/** The issuable types with a milestone. */
export const MILESTONE_KINDS: readonly [IssuableKind<ProjectIssuable>, IssuableKind<ProjectIssuable>] = [
  issueNoteable,
  mergeRequestNoteable,
];

export {
  baseEventFields,
  labelOrMilestoneVisibleTo,
  loadEventUsers,
  parseEventId,
  resourceEventFields,
  serializeBaseEvent,
  serializeResourceEvent,
} from './resource-events.ts';
