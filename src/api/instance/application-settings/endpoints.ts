import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { atLeastOne } from '#http/parameters/declarations.ts';
import { loadSettings } from '#settings/settings.ts';
import { ApplicationSettings } from './entities.ts';
import { toSettingChanges, updateParameters } from './parameters.ts';
import { updateSettingsAndRecord } from './update.ts';

export const getApplicationSettings = endpoint({
  get: '/application/settings',
  summary: 'Get the application settings',
  access: administrator(),
  response: ok(ApplicationSettings),
  read: (db) => loadSettings(db),
});

export const updateApplicationSettings = endpoint({
  put: '/application/settings',
  summary: 'Update application settings',
  access: administrator(),
  params: updateParameters,
  rules: [atLeastOne(...Object.keys(updateParameters))],
  errors: { invalid: INVALID },
  activity: ['application_setting_updated'],
  response: ok(ApplicationSettings),
  handle: ({ params, caller }, { runUnitOfWork, git }) =>
    runUnitOfWork(caller, (uow) => updateSettingsAndRecord(uow, toSettingChanges(params), git.storages)),
});
