import type { Config } from '../../../config.ts';
import type { Database } from '../../../database/database.ts';
import { changed, INSTANCE, recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import {
  type ApplicationSettings,
  readSettings,
  type SettingChanges,
  settingProblems,
  updateSettings,
} from '../../../settings/settings.ts';

type Storages = Pick<Config, 'storages'>;

/** Changes the named settings; each that has another value now is one audit event. */
export async function changeSettings(
  { database, config }: { readonly database: Database; readonly config: Storages },
  changes: SettingChanges,
  caller: SignedIn,
): Promise<ApplicationSettings | Refused<'invalid'>> {
  const errors = { ...settingProblems(changes), ...unknownStorages(changes, config) };
  if (Object.keys(errors).length > 0) return refused('invalid', { errors });
  return database.transaction(async (tx) => {
    for (const { name, from, to } of await updateSettings(tx, changes)) {
      await recordAudit(tx, caller, {
        name: 'application_setting_updated',
        entity: INSTANCE,
        target: { type: 'ApplicationSetting', id: 1, details: name },
        ...changed(name, shown(from), shown(to)),
      });
    }
    return readSettings(tx);
  });
}

function unknownStorages({ repository_storages_weighted: weights }: SettingChanges, { storages }: Storages) {
  const unknown = Object.keys(weights ?? {}).filter((name) => !Object.hasOwn(storages, name));
  return unknown.length === 0 ? {} : { repository_storages_weighted: [`can't include: ${unknown.join(', ')}`] };
}

/** Every configured storage is shown, also one that nobody has given a weight. */
export function shownSettings(settings: ApplicationSettings, { storages }: Storages): ApplicationSettings {
  const weights = settings.repository_storages_weighted;
  const all = Object.keys(storages).map((name) => [name, weights[name] ?? 0]);
  return { ...settings, repository_storages_weighted: Object.fromEntries(all) };
}

function shown(value: unknown): string | number | boolean | null {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null);
}
