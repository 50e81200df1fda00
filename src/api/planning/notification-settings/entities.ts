import { type TProperties, Type } from 'typebox';
import { EMAIL_EVENTS, type EmailEvent, NOTIFICATION_LEVELS, type SourceType } from '#database/schema.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';
import { isEventEnabled, listAvailableEvents } from './event-names.ts';
import type { GlobalSetting, UserNotificationSetting } from './store.ts';

const isOptionalEvent = (event: EmailEvent) => event === 'new_epic' || event === 'approver';

/** Whether each event is enabled. Only some sources and tiers have `new_epic` and `approver`. */
const EmailEvents = objectSchema(
  'NotificationEmailEvents',
  Object.fromEntries(
    EMAIL_EVENTS.map((event) => [event, isOptionalEvent(event) ? Type.Optional(Type.Boolean()) : Type.Boolean()]),
  ) as TProperties,
);

const fields = {
  level: Type.Enum([...NOTIFICATION_LEVELS]),
  /** Present with the level `custom`. */
  events: Type.Optional(EmailEvents),
};

/** The caller's global notification setting (contract/activity.md Part 2). */
export const GlobalNotificationSetting = entity('GlobalNotificationSetting', {
  ...fields,
  notification_email: Type.String(),
}).from(({ setting, email }: GlobalSetting, context) => ({
  ...serializeSetting('everything', setting, context),
  notification_email: email,
}));

const createSettingEntity = (source: SourceType) =>
  entity('NotificationSetting', fields).from((setting: UserNotificationSetting, context) =>
    serializeSetting(source, setting, context),
  );

export const GroupNotificationSetting = createSettingEntity('group');
export const ProjectNotificationSetting = createSettingEntity('project');

function serializeSetting(
  source: SourceType | 'everything',
  setting: UserNotificationSetting,
  { tier }: SerializationContext,
) {
  const { level } = setting;
  if (level !== 'custom') return { level };
  const events = listAvailableEvents(source, tier).map((event) => [event, isEventEnabled(setting, event)]);
  return { level, events: Object.fromEntries(events) };
}
