import { isDeepStrictEqual } from 'node:util';
import { defaultSettings, SETTING_NAMES } from '#settings/definitions.ts';
import { loadSettings } from '#settings/settings.ts';
import { defineCommand } from './command.ts';
import { withCommandData } from './command-data.ts';
import { JSON_OPTION, printJson, printTable } from './output.ts';

/** Lists the application settings, which change at run time. */
export const listSettingsCommand = defineCommand({
  positionals: [],
  options: {
    changed: { type: 'boolean', description: 'List only settings that differ from their defaults' },
    ...JSON_OPTION,
  },
  description:
    'Lists the application settings with their values and defaults. Change them with PUT /api/v4/application/settings. hearth serve --help lists the start-up settings.',
  async run(context, { changed, json }) {
    await withCommandData(context, async ({ database }) => {
      const settings = await loadSettings(database.reader);
      const names = SETTING_NAMES.filter(
        (name) => !changed || !isDeepStrictEqual(settings[name], defaultSettings[name]),
      );
      if (json) return printJson(context.stdout, Object.fromEntries(names.map((name) => [name, settings[name]])));
      printTable(context.stdout, [
        ['SETTING', 'VALUE', 'DEFAULT'],
        ...names.map((name) => [name, JSON.stringify(settings[name]), JSON.stringify(defaultSettings[name])]),
      ]);
    });
  },
});
