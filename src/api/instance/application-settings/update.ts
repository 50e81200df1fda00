import { describeChange, INSTANCE } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, invalid } from '#runtime/failure.ts';
import {
  type ApplicationSettings,
  loadSettings,
  type SettingChanges,
  updateSettings,
  validateSettings,
} from '#settings/settings.ts';

/** Storages by name. */
type StorageMap = Readonly<Record<string, unknown>>;

/** Updates settings and records one audit event for each changed value. Returns all settings. */
export async function updateSettingsAndRecord(
  uow: UnitOfWork,
  changes: SettingChanges,
  storages: StorageMap,
): Promise<ApplicationSettings | Failure<'invalid'>> {
  const errors = compactFieldErrors({ ...validateSettings(changes), ...validateStorages(changes, storages) });
  if (errors !== null) return invalid(errors);
  for (const { name, from, to } of await updateSettings(uow, changes)) {
    await uow.record({
      name: 'application_setting_updated',
      entity: INSTANCE,
      target: { type: 'ApplicationSetting', id: 1, details: name },
      ...describeChange(name, formatValue(from), formatValue(to)),
    });
  }
  return loadSettings(uow);
}

/** Returns an error if the weights name unknown storages. */
function validateStorages(
  { repository_storages_weighted: weights }: SettingChanges,
  storages: StorageMap,
): FieldErrors {
  const unknownStorages = Object.keys(weights ?? {}).filter((name) => !Object.hasOwn(storages, name));
  return unknownStorages.length === 0
    ? {}
    : { repository_storages_weighted: [`can't include: ${unknownStorages.join(', ')}`] };
}

/** Formats the value of a setting for an audit event. */
function formatValue(value: unknown): string | number | boolean | null {
  return typeof value === 'object' && value !== null
    ? JSON.stringify(value)
    : (value as string | number | boolean | null);
}
