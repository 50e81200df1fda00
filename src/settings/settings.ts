import { isDeepStrictEqual } from 'node:util';
import type { Reader, Transaction } from '#database/database.ts';
import { prepare } from '#database/prepare.ts';
import {
  type ApplicationSettings,
  type Definition,
  defaultSettings,
  definitions,
  type SettingName,
  settingNames,
} from './definitions.ts';

export type { ApplicationSettings, SettingName } from './definitions.ts';

/** What a change of settings asks for: null only where the setting may be null. */
export type SettingChanges = { readonly [Name in SettingName]?: ApplicationSettings[Name] | null | undefined };

/** A setting that a change has really changed, for the history. */
interface ChangedSetting {
  readonly name: SettingName;
  readonly from: unknown;
  readonly to: unknown;
}

// index: application_settings primary key
const storedSettings = prepare((db) => db.selectFrom('application_settings').select('value').where('id', '=', 1));

// What was parsed from a text stays true for that text, whatever database it came from.
let parsed: { readonly text: string; readonly settings: ApplicationSettings } = {
  text: '{}',
  settings: defaultSettings,
};

/** The application settings as they are now: one point read. */
export async function readSettings(db: Reader): Promise<ApplicationSettings> {
  const text = (await storedSettings.first(db, {}))?.value ?? '{}';
  if (parsed.text !== text) parsed = { text, settings: withDefaults(JSON.parse(text)) };
  return parsed.settings;
}

// A setting of a newer or older version that is not known here is left in its row and not seen.
function withDefaults(stored: Partial<ApplicationSettings>): ApplicationSettings {
  return Object.freeze({ ...defaultSettings, ...known(stored) });
}

function known(stored: Partial<ApplicationSettings>): Partial<ApplicationSettings> {
  return Object.fromEntries(settingNames.filter((name) => name in stored).map((name) => [name, stored[name]]));
}

/** What is wrong with a change, field by field in the settings' order; an empty object when nothing is. */
export function settingProblems(changes: SettingChanges): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  for (const name of settingNames) {
    const value = changes[name];
    if (value === undefined) continue;
    const problem = problemOf(definitions[name] as Definition<unknown>, value);
    if (problem !== null) problems[name] = [problem];
  }
  return problems;
}

function problemOf({ nullable, problem }: Definition<unknown>, value: unknown): string | null {
  if (value === null) return nullable ? null : "can't be blank";
  return problem?.(value) ?? null;
}

/** Changes the named settings, which `settingProblems` has found good, and tells which have another value now. */
export async function updateSettings(tx: Transaction, changes: SettingChanges): Promise<ChangedSetting[]> {
  await ensureRow(tx);
  const row = await tx.selectFrom('application_settings').select('value').where('id', '=', 1).executeTakeFirstOrThrow();
  const stored = JSON.parse(row.value) as Partial<ApplicationSettings>;
  const before = withDefaults(stored);
  const named = settingNames.filter((name) => changes[name] !== undefined);
  const changed = named.filter((name) => !isDeepStrictEqual(before[name], changes[name]));
  if (changed.length === 0) return [];
  const value = JSON.stringify({ ...stored, ...Object.fromEntries(changed.map((name) => [name, changes[name]])) });
  await tx.updateTable('application_settings').set({ value, updated_at: tx.now }).where('id', '=', 1).execute();
  return changed.map((name) => ({ name, from: before[name], to: changes[name] }));
}

/** The settings' row, with what the first start gives them. Changes nothing when it is there. */
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
