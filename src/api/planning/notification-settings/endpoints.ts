import { type TProperties, Type } from 'typebox';
import type { SignedInCaller } from '#authentication/caller.ts';
import { EMAIL_EVENTS, type EmailEvent, NOTIFICATION_LEVELS, type SourceType } from '#database/schema.ts';
import { signedIn } from '#http/access/access.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { objectSchema, ok } from '#http/endpoint/responses.ts';
import { INVALID, PARENT_NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { updateGlobalSetting, updateSourceSetting } from './changes.ts';
import {
  type GlobalSetting,
  getGlobalSetting,
  getSetting,
  getTiersOfEvent,
  isEventEnabled,
  listAvailableEvents,
  type UserNotificationSetting,
} from './store.ts';

const isOptionalEvent = (event: EmailEvent) => event === 'new_epic' || event === 'approver';

/** Whether each event is enabled. Only some sources and tiers have `new_epic` and `approver`. */
const EmailEvents = objectSchema(
  'NotificationEmailEvents',
  Object.fromEntries(
    EMAIL_EVENTS.map((event) => [event, isOptionalEvent(event) ? Type.Optional(Type.Boolean()) : Type.Boolean()]),
  ) as TProperties,
);

const fields = {
  level: Type.Enum([...NOTIFICATION_LEVELS], {
    description: 'In a group or project, `global` means that the global setting applies.',
  }),
  /** Present with the level `custom`. */
  events: Type.Optional(EmailEvents),
};

/** The caller's global notification setting (contract/activity.md Part 2). */
const GlobalNotificationSetting = entity('GlobalNotificationSetting', {
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

const GroupNotificationSetting = createSettingEntity('group');
const ProjectNotificationSetting = createSettingEntity('project');

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

// Notification settings of the caller (contract/activity.md Part 2).

/** Returns the parameter `level` and one boolean per event. */
const createSettingParams = (excludedEvents: readonly EmailEvent[] = []) => ({
  level: describe(optional(string), `One of ${NOTIFICATION_LEVELS.map((level) => `\`${level}\``).join(', ')}.`),
  ...(Object.fromEntries(
    EMAIL_EVENTS.filter((event) => !excludedEvents.includes(event)).map((event) => [
      event,
      describe(
        onTiers(optional(boolean), ...getTiersOfEvent(event)),
        'Whether mails are sent for this event, with the level `custom`. Null resets it to its default.',
      ),
    ]),
  ) as Readonly<Record<EmailEvent, Parameter<boolean, 'optional'>>>),
});

const LEVEL_ERRORS = { levelUnknown: [400, "'{level}' is not a valid level"], invalid: INVALID } as const;

/** Returns the lock key for changing the settings of a user. */
const settingsLockKey = ({ user }: SignedInCaller) => `notification settings of user ${user.id}`;

export const getNotificationSetting = endpoint({
  get: '/notification_settings',
  summary: 'Get the global notification settings',
  description:
    "Returns the caller's own setting, which applies to all groups and projects without one. Without a stored setting the level is `participating`. `events` is present only with the level `custom`.",
  access: signedIn(),
  response: ok(GlobalNotificationSetting),
  read: (db, { caller }) => getGlobalSetting(db, caller.user.id),
});

export const updateNotificationSetting = endpoint({
  put: '/notification_settings',
  summary: 'Update the global notification settings',
  description:
    "Updates the given fields of the caller's own setting. Event parameters such as `new_note` take effect with the level `custom`; null resets an event to its default. If one field is invalid, nothing is updated.",
  access: signedIn(),
  params: {
    ...createSettingParams(),
    notification_email: describe(
      optional(domainValidatedText(255)),
      'A confirmed address of the caller. A blank text means the primary address.',
    ),
  },
  lock: ({ caller }) => settingsLockKey(caller),
  errors: LEVEL_ERRORS,
  response: ok(GlobalNotificationSetting),
  write: (uow, { params }) => updateGlobalSetting(uow, params),
});

const READ_PARENT = { group: 'read_group', project: 'read_project' } as const;
const ENTITIES = { group: GroupNotificationSetting, project: ProjectNotificationSetting } as const;

export const [getGroupNotificationSetting, getProjectNotificationSetting] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/notification_settings`,
    summary: `Get the notification settings for a ${parent.type}`,
    description: `Returns the caller's own setting for the ${parent.type}. Without one the level is \`global\`: the global setting applies. \`events\` is present only with the level \`custom\`.`,
    access: parent.accessWith(READ_PARENT),
    response: ok(parent.select(ENTITIES)),
    read: (db, { parent, caller }) => getSetting(db, caller.user.id, parent),
  }),
);

export const [updateGroupNotificationSetting, updateProjectNotificationSetting] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/notification_settings`,
    summary: `Update the notification settings for a ${parent.type}`,
    description: `Updates the given fields of the caller's own setting for the ${parent.type}. Event parameters take effect with the level \`custom\`; null resets an event to its default. The setting is deleted when the caller's membership ends.`,
    access: parent.accessWith(READ_PARENT),
    params: createSettingParams(parent.select({ group: ['approver'], project: ['new_epic'] })),
    lock: ({ caller }) => settingsLockKey(caller),
    errors: { ...LEVEL_ERRORS, notFound: PARENT_NOT_FOUND[parent.name] },
    response: ok(parent.select(ENTITIES)),
    write: (uow, { parent, params }) => updateSourceSetting(uow, parent, params),
  }),
);
