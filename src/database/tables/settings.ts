import type { Generated } from 'kysely';

/** The application settings: one row. Absent keys of `value` have their defaults. */
interface ApplicationSettingsTable {
  /** Always 1. */
  id: number;
  /** JSON object of the keys that were ever set. */
  value: string;
  updated_at: string;
}

/** A feature flag that was ever set; without a row its default counts. */
interface FeatureFlagsTable {
  id: Generated<number>;
  name: string;
  /** On for everybody. */
  on_for_all: Generated<boolean>;
  /** Above 0 and below 100, or null: no such gate. */
  percentage_of_time: number | null;
  percentage_of_actors: number | null;
  /** JSON array of `Type:id`. */
  actors: Generated<string>;
  /** JSON array of names. */
  feature_groups: Generated<string>;
  updated_at: string;
}

export interface SettingsTables {
  application_settings: ApplicationSettingsTable;
  feature_flags: FeatureFlagsTable;
}
