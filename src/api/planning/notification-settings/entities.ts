import { type TProperties, Type } from 'typebox';
import type { SourceType } from '#database/tables/domain.ts';
import { EMAIL_EVENTS, type EmailEvent, NOTIFICATION_LEVELS } from '#database/tables/notification-settings.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { shape } from '#http/endpoint/responses.ts';
import { eventsOf, isChosen } from './event-names.ts';
import type { GlobalSetting, Setting } from './store.ts';

const isOptional = (event: EmailEvent) => event === 'new_epic' || event === 'approver';

/** Whether each is told of. Only some sources and tiers have `new_epic` and `approver`. */
const EmailEvents = shape(
  'NotificationEmailEvents',
  Object.fromEntries(
    EMAIL_EVENTS.map((event) => [event, isOptional(event) ? Type.Optional(Type.Boolean()) : Type.Boolean()]),
  ) as TProperties,
);

const fields = {
  level: Type.Enum([...NOTIFICATION_LEVELS]),
  /** With the level `custom`. */
  events: Type.Optional(EmailEvents),
};

/** What the caller has chosen wherever he has chosen nothing else (contract/activity.md Part 2). */
export const GlobalNotificationSetting = entity('GlobalNotificationSetting', {
  ...fields,
  notification_email: Type.String(),
}).from(({ setting, email }: GlobalSetting, to) => ({
  ...chosen('everything', setting, to),
  notification_email: email,
}));

const settingOf = (source: SourceType) =>
  entity('NotificationSetting', fields).from((setting: Setting, to) => chosen(source, setting, to));

export const GroupNotificationSetting = settingOf('group');
export const ProjectNotificationSetting = settingOf('project');

function chosen(source: SourceType | 'everything', setting: Setting, { tier }: SerializationContext) {
  const { level } = setting;
  if (level !== 'custom') return { level };
  const events = eventsOf(source, tier).map((event) => [event, isChosen(setting, event)]);
  return { level, events: Object.fromEntries(events) };
}
