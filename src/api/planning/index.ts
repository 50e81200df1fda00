import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import * as approvals from './approvals/endpoints.ts';
import { awardEmoji } from './award-emoji/index.ts';
import * as comments from './comments/endpoints.ts';
import * as discussions from './discussions/endpoints.ts';
import * as epicIssues from './epic-issues/endpoints.ts';
import { epics } from './epics/index.ts';
import * as events from './events/endpoints.ts';
import { issues } from './issues/index.ts';
import { iterationCadences } from './iteration-cadences/index.ts';
import { iterations } from './iterations/index.ts';
import { labels } from './labels/index.ts';
import * as links from './links/endpoints.ts';
import { mailMessages } from './mail-messages/index.ts';
import { mergeRequests } from './merge-requests/index.ts';
import { milestones } from './milestones/index.ts';
import { notes } from './notes/index.ts';
import { notificationSettings } from './notification-settings/index.ts';
import * as resourceLabelEvents from './resource-label-events/endpoints.ts';
import * as resourceMilestoneEvents from './resource-milestone-events/endpoints.ts';
import * as resourceStateEvents from './resource-state-events/endpoints.ts';
import * as resourceWeightEvents from './resource-weight-events/endpoints.ts';
import * as reviewers from './reviewers/endpoints.ts';
import * as sentNotifications from './sent-notifications/endpoints.ts';
import { todos } from './todos/index.ts';
import * as versions from './versions/endpoints.ts';

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
  versions: resourceModule({ endpoints: versions }),
  reviewers: resourceModule({ endpoints: reviewers }),
  approvals: resourceModule({ endpoints: approvals }),
  'epic-issues': resourceModule({ endpoints: epicIssues }),
  links: resourceModule({ endpoints: links }),
  notes,
  'award-emoji': awardEmoji,
  discussions: resourceModule({ endpoints: discussions }),
  comments: resourceModule({ endpoints: comments }),
  'resource-state-events': resourceModule({ endpoints: resourceStateEvents }),
  'resource-milestone-events': resourceModule({ endpoints: resourceMilestoneEvents }),
  'resource-label-events': resourceModule({ endpoints: resourceLabelEvents }),
  'resource-weight-events': resourceModule({ endpoints: resourceWeightEvents }),
  events: resourceModule({ endpoints: events }),
  'notification-settings': notificationSettings,
  'mail-messages': mailMessages,
  'sent-notifications': resourceModule({ endpoints: sentNotifications }),
};
