import { administrator } from '../../../http/access/access.ts';
import { entity } from '../../../http/endpoint/answers.ts';
import { endpoint, RECORD_ERRORS } from '../../../http/endpoint/endpoint.ts';
import { isRefused } from '../../../refused.ts';
import { readSettings, type SettingChanges } from '../../../settings/settings.ts';
import { ApplicationSettings } from './entities.ts';
import { settingParameters } from './parameters.ts';
import { changeSettings, shownSettings } from './update.ts';

export const readApplicationSettings = endpoint({
  get: '/application/settings',
  summary: 'The settings that may change while the server runs',
  access: administrator(),
  answer: entity(ApplicationSettings),
  handle: async ({ db, config }) => shownSettings(await readSettings(db), config),
});

export const updateApplicationSettings = endpoint({
  put: '/application/settings',
  summary: 'Change some of the settings',
  access: administrator(),
  params: settingParameters,
  refuses: { invalid: [400, RECORD_ERRORS] },
  records: ['application_setting_updated'],
  answer: entity(ApplicationSettings),
  async handle({ params, caller, database, config }) {
    const settings = await changeSettings({ database, config }, params as SettingChanges, caller);
    return isRefused(settings) ? settings : shownSettings(settings, config);
  },
});
