import { changed, INSTANCE } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, type FieldErrors, fieldErrors, invalid } from '#runtime/failure.ts';
import {
  type ApplicationSettings,
  readSettings,
  type SettingChanges,
  settingProblems,
  updateSettings,
} from '#settings/settings.ts';

/** The server's storages, by name. */
type Storages = Readonly<Record<string, unknown>>;

/** Changes the named settings; each that has another value now is one audit event. */
export async function changeSettings(
  uow: UnitOfWork,
  changes: SettingChanges,
  storages: Storages,
): Promise<ApplicationSettings | Failure<'invalid'>> {
  const errors = fieldErrors({ ...settingProblems(changes), ...unknownStorages(changes, storages) });
  if (errors !== null) return invalid(errors);
  for (const { name, from, to } of await updateSettings(uow, changes)) {
    await uow.record({
      name: 'application_setting_updated',
      entity: INSTANCE,
      target: { type: 'ApplicationSetting', id: 1, details: name },
      ...changed(name, recorded(from), recorded(to)),
    });
  }
  return readSettings(uow);
}

function unknownStorages({ repository_storages_weighted: weights }: SettingChanges, storages: Storages): FieldErrors {
  const unknown = Object.keys(weights ?? {}).filter((name) => !Object.hasOwn(storages, name));
  return unknown.length === 0 ? {} : { repository_storages_weighted: [`can't include: ${unknown.join(', ')}`] };
}

/** A setting's value as the history tells it. */
function recorded(value: unknown): string | number | boolean | null {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null);
}
