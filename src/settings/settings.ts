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

/** A setting whose value has changed, for the activity log. */
interface ChangedSetting {
  readonly name: SettingName;
  readonly from: unknown;
  readonly to: unknown;
}

// index: application_settings primary key
const storedSettings = prepare((db) => db.selectFrom('application_settings').select('value').where('id', '=', 1));

// The last parsed text; valid for any database with the same text.
let parsedSettings: { readonly text: string; readonly settings: ApplicationSettings } = {
  text: '{}',
  settings: defaultSettings,
};

/** Loads the current application settings with one point read. */
export async function loadSettings(db: Reader): Promise<ApplicationSettings> {
  const text = (await storedSettings.first(db, {}))?.value ?? '{}';
  if (parsedSettings.text !== text) parsedSettings = { text, settings: withDefaults(JSON.parse(text)) };
  return parsedSettings.settings;
}

// Unknown settings of newer or older versions stay in the row and are ignored.
function withDefaults(storedSettings: Partial<ApplicationSettings>): ApplicationSettings {
  return Object.freeze({ ...defaultSettings, ...knownSettings(storedSettings) });
}

function knownSettings(storedSettings: Partial<ApplicationSettings>): Partial<ApplicationSettings> {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => name in storedSettings).map((name) => [name, storedSettings[name]]),
  );
}

/** Returns validation errors by setting, in the order of the settings; an empty object if all values are valid. */
export function validateSettings(changes: SettingChanges): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const name of SETTING_NAMES) {
    const value = changes[name];
    if (value === undefined) continue;
    const problem = validateSetting(SETTING_DEFINITIONS[name] as SettingDefinition<unknown>, value);
    if (problem !== null) problems[name] = [problem];
  }
  return problems;
}

function validateSetting({ nullable, problem }: SettingDefinition<unknown>, value: unknown): string | null {
  if (value === null) return nullable ? null : "can't be blank";
  return problem?.(value) ?? null;
}

/** Updates settings that `validateSettings` has accepted. Returns those whose value has changed. */
export async function updateSettings(tx: Transaction, changes: SettingChanges): Promise<ChangedSetting[]> {
  await ensureRow(tx);
  const row = await tx.selectFrom('application_settings').select('value').where('id', '=', 1).executeTakeFirstOrThrow();
  const stored = JSON.parse(row.value) as Partial<ApplicationSettings>;
  const before = withDefaults(stored);
  const namedSettings = SETTING_NAMES.filter((name) => changes[name] !== undefined);
  const changedNames = namedSettings.filter((name) => !isDeepStrictEqual(before[name], changes[name]));
  if (changedNames.length === 0) return [];
  const value = JSON.stringify({ ...stored, ...Object.fromEntries(changedNames.map((name) => [name, changes[name]])) });
  await tx.updateTable('application_settings').set({ value, updated_at: tx.now }).where('id', '=', 1).execute();
  return changedNames.map((name) => ({ name, from: before[name], to: changes[name] }));
}

/** Creates the row of settings at the first start. Does nothing if it exists. */
export async function createSettings(tx: Transaction, first: SettingChanges): Promise<void> {
  await ensureRow(tx, JSON.stringify(first));
}

async function ensureRow(tx: Transaction, value = '{}'): Promise<void> {
  await tx
    .insertInto('application_settings')
    .values({ id: 1, value, updated_at: tx.now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
