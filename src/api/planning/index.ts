import type { Families } from '../../http/endpoint/family.ts';
import { issues } from './issues/index.ts';
import { labels } from './labels/index.ts';
import { milestones } from './milestones/index.ts';
import { notes } from './notes/index.ts';
import { notificationSettings } from './notification-settings/index.ts';

/** What is planned, talked about and told. */
export const planning: Families = {
  labels,
  milestones,
  issues,
  notes,
  'notification-settings': notificationSettings,
};
