import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { approvals } from './approvals/index.ts';
import { awardEmoji } from './award-emoji/index.ts';
import { comments } from './comments/index.ts';
import { discussions } from './discussions/index.ts';
import { epicIssues } from './epic-issues/index.ts';
import { epics } from './epics/index.ts';
import { events } from './events/index.ts';
import { issues } from './issues/index.ts';
import { iterationCadences } from './iteration-cadences/index.ts';
import { iterations } from './iterations/index.ts';
import { labels } from './labels/index.ts';
import { links } from './links/index.ts';
import { mailMessages } from './mail-messages/index.ts';
import { mergeRequests } from './merge-requests/index.ts';
import { milestones } from './milestones/index.ts';
import { notes } from './notes/index.ts';
import { notificationSettings } from './notification-settings/index.ts';
import { resourceLabelEvents } from './resource-label-events/index.ts';
import { resourceMilestoneEvents } from './resource-milestone-events/index.ts';
import { resourceStateEvents } from './resource-state-events/index.ts';
import { resourceWeightEvents } from './resource-weight-events/index.ts';
import { reviewers } from './reviewers/index.ts';
import { sentNotifications } from './sent-notifications/index.ts';
import { todos } from './todos/index.ts';
import { versions } from './versions/index.ts';

/** API resources of issues, merge requests, epics and milestones, with their notes, labels, events and notifications. */
export const planning: ResourceModules = {
  todos,
  labels,
  milestones,
  'iteration-cadences': iterationCadences,
  iterations,
  issues,
  epics,
  'merge-requests': mergeRequests,
  versions,
  reviewers,
  approvals,
  'epic-issues': epicIssues,
  links,
  notes,
  'award-emoji': awardEmoji,
  discussions,
  comments,
  'resource-state-events': resourceStateEvents,
  'resource-milestone-events': resourceMilestoneEvents,
  'resource-label-events': resourceLabelEvents,
  'resource-weight-events': resourceWeightEvents,
  events,
  'notification-settings': notificationSettings,
  'mail-messages': mailMessages,
  'sent-notifications': sentNotifications,
};
