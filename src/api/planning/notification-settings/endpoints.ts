import type { SignedInCaller } from '#authentication/caller.ts';
import { EMAIL_EVENTS, type EmailEvent } from '#database/tables/notification-settings.ts';
import { signedIn } from '#http/access/access.ts';
import { forBoth } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { GONE, INVALID } from '#http/errors/error-messages.ts';
import { onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
import { ruledText, string } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import { GlobalNotificationSetting, GroupNotificationSetting, ProjectNotificationSetting } from './entities.ts';
import { tiersWith } from './event-names.ts';
import { readGlobalSetting, readSetting } from './store.ts';
import { changeGlobalSetting, changeSourceSetting } from './update.ts';

// Everybody's own settings, and nobody else's (contract/activity.md Part 2).

/** Besides `level`, each event by its name, in the query or the body. */
const settingParams = (without: readonly EmailEvent[] = []) => ({
  level: optional(string),
  ...(Object.fromEntries(
    EMAIL_EVENTS.filter((event) => !without.includes(event)).map((event) => [
      event,
      onTiers(optional(boolean), ...tiersWith(event)),
    ]),
  ) as Readonly<Record<EmailEvent, Parameter<boolean, 'optional'>>>),
});

const WRONG_LEVEL = { levelUnknown: [400, "'{level}' is not a valid level"], invalid: INVALID } as const;

/** Many who change the setting of one user run one after another. */
const turnOf = ({ user }: SignedInCaller) => `notification settings of user ${user.id}`;

export const readNotificationSetting = endpoint({
  get: '/notification_settings',
  summary: 'What the caller is told of by mail, wherever he has chosen nothing else',
  access: signedIn(),
  response: ok(GlobalNotificationSetting),
  read: (db, { caller }) => readGlobalSetting(db, caller.user.id),
});

export const updateNotificationSetting = endpoint({
  put: '/notification_settings',
  summary: 'Choose what to be told of by mail, and at which address',
  access: signedIn(),
  params: { ...settingParams(), notification_email: optional(ruledText(255)) },
  lock: ({ caller }) => turnOf(caller),
  errors: WRONG_LEVEL,
  response: ok(GlobalNotificationSetting),
  write: (uow, { params }) => changeGlobalSetting(uow, params),
});

const SEEING = { group: 'read_group', project: 'read_project' } as const;
const SETTINGS = { group: GroupNotificationSetting, project: ProjectNotificationSetting } as const;

export const [readGroupNotificationSetting, readProjectNotificationSetting] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/notification_settings`,
    summary: `What the caller is told of a ${parent.type} by mail`,
    access: parent.may(SEEING),
    response: ok(parent.own(SETTINGS)),
    read: (db, { parent, caller }) => readSetting(db, caller.user.id, parent),
  }),
);

export const [updateGroupNotificationSetting, updateProjectNotificationSetting] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/notification_settings`,
    summary: `Choose what to be told of a ${parent.type} by mail`,
    access: parent.may(SEEING),
    params: settingParams(parent.own({ group: ['approver'], project: ['new_epic'] })),
    lock: ({ caller }) => turnOf(caller),
    errors: { ...WRONG_LEVEL, gone: GONE[parent.name] },
    response: ok(parent.own(SETTINGS)),
    write: (uow, { parent, params }) => changeSourceSetting(uow, parent, params),
  }),
);
