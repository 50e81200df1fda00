import { administrator } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { readSettings } from '#settings/settings.ts';
import { ApplicationSettings } from './entities.ts';
import { changeParameters, sentChanges } from './parameters.ts';
import { changeSettings } from './update.ts';

export const readApplicationSettings = endpoint({
  get: '/application/settings',
  summary: 'The settings that may change while the server runs',
  access: administrator(),
  response: ok(ApplicationSettings),
  read: (db) => readSettings(db),
});

export const updateApplicationSettings = endpoint({
  put: '/application/settings',
  summary: 'Change some of the settings',
  access: administrator(),
  params: changeParameters,
  errors: { invalid: INVALID },
  activity: ['application_setting_updated'],
  response: ok(ApplicationSettings),
  handle: ({ params, caller }, { runUnitOfWork, git }) =>
    runUnitOfWork(caller, (uow) => changeSettings(uow, sentChanges(params), git.storages)),
});
