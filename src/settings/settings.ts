import { isDeepStrictEqual } from 'node:util';
import type { Reader, Transaction } from '#database/database.ts';
import { prepare } from '#database/prepare.ts';
import {
  type ApplicationSettings,
  defaultSettings,
  SETTING_DEFINITIONS,
  SETTING_NAMES,
  type SettingDefinition,
  type SettingName,
} from './definitions.ts';

export type { ApplicationSettings, SettingName } from './definitions.ts';

/** New values of settings; null only if the setting is nullable. */
export type SettingChanges = { readonly [Name in SettingName]?: ApplicationSettings[Name] | null | undefined };

/** A changed setting with its old and new values, for the activity log. */
interface ChangedSetting {
  readonly name: SettingName;
  readonly from: unknown;
  readonly to: unknown;
}

// The table has one row, with the id 1. index: application_settings primary key
const selectSettings = prepare((db) => db.selectFrom('application_settings').select('value').where('id', '=', 1));

// Cache of the last parsed text. Its key is the text, so it is valid for any database.
let parsedSettings: { readonly text: string; readonly settings: ApplicationSettings } = {
  text: '{}',
  settings: defaultSettings,
};

/** Loads the current application settings with one primary key lookup. */
export async function loadSettings(db: Reader): Promise<ApplicationSettings> {
  const text = (await selectSettings.first(db, {}))?.value ?? '{}';
  if (parsedSettings.text !== text) parsedSettings = { text, settings: withDefaults(JSON.parse(text)) };
  return parsedSettings.settings;
}

// Unknown settings of newer or older versions stay in the row and are ignored.
function withDefaults(storedSettings: Partial<ApplicationSettings>): ApplicationSettings {
  return Object.freeze({ ...defaultSettings, ...pickKnownSettings(storedSettings) });
}

function pickKnownSettings(storedSettings: Partial<ApplicationSettings>): Partial<ApplicationSettings> {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => name in storedSettings).map((name) => [name, storedSettings[name]]),
  );
}

/** Returns validation errors by setting, in the order of the settings; an empty object if all values are valid. */
export function validateSettings(changes: SettingChanges): Record<string, string[]> {
  const errors: Record<string, string[]> = {};
  for (const name of SETTING_NAMES) {
    const value = changes[name];
    if (value === undefined) continue;
    const error = validateSetting(SETTING_DEFINITIONS[name] as SettingDefinition<unknown>, value);
    if (error !== null) errors[name] = [error];
  }
  return errors;
}

function validateSetting(definition: SettingDefinition<unknown>, value: unknown): string | null {
  if (value === null) return definition.nullable ? null : "can't be blank";
  return definition.validate?.(value) ?? null;
}

/** Updates settings that `validateSettings` has accepted. Returns those whose value has changed. */
export async function updateSettings(tx: Transaction, changes: SettingChanges): Promise<ChangedSetting[]> {
  const storedSettings: Partial<ApplicationSettings> = await readOrCreateRow(tx);
  const oldSettings = withDefaults(storedSettings);
  const inputNames = SETTING_NAMES.filter((name) => changes[name] !== undefined);
  const changedNames = inputNames.filter((name) => !isDeepStrictEqual(oldSettings[name], changes[name]));
  if (changedNames.length === 0) return [];
  await writeRow(tx, { ...storedSettings, ...Object.fromEntries(changedNames.map((name) => [name, changes[name]])) });
  return changedNames.map((name) => ({ name, from: oldSettings[name], to: changes[name] }));
}

/**
 * Stores the settings of the first start, unless they are stored already. Writes the row in any case, so that concurrent first starts
 * run one after another.
 */
export async function createSettings(tx: Transaction, initialSettings: SettingChanges): Promise<void> {
  const storedValues = await readOrCreateRow(tx);
  await writeRow(tx, { ...initialSettings, ...storedValues });
}

/** Returns the values in the row of settings, which is created if it does not exist. */
async function readOrCreateRow(tx: Transaction): Promise<Record<string, unknown>> {
  await tx
    .insertInto('application_settings')
    .values({ id: 1, value: '{}', updated_at: tx.now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  const row = await tx.selectFrom('application_settings').select('value').where('id', '=', 1).executeTakeFirstOrThrow();
  return JSON.parse(row.value);
}

async function writeRow(tx: Transaction, values: Record<string, unknown>): Promise<void> {
  const value = JSON.stringify(values);
  await tx.updateTable('application_settings').set({ value, updated_at: tx.now }).where('id', '=', 1).execute();
}

/** Returns a value in the row of settings that is not a setting of the API; undefined if it is not stored. */
export async function readStoredValue(db: Reader, name: string): Promise<unknown> {
  const row = await selectSettings.first(db, {});
  return row === undefined ? undefined : (JSON.parse(row.value) as Record<string, unknown>)[name];
}

/** Stores a value in the row of settings that is not a setting of the API. */
export async function writeStoredValue(tx: Transaction, name: string, storedValue: unknown): Promise<void> {
  await writeRow(tx, { ...(await readOrCreateRow(tx)), [name]: storedValue });
}
