import type { Generated } from 'kysely';

/** The application settings: one row. Keys that are missing in `value` have their defaults. */
interface ApplicationSettingsTable {
  /** Always 1. */
  id: number;
  /** JSON object of the settings that were set. */
  value: string;
  updated_at: string;
}

/** A feature flag that was set; without a row, the default applies. */
interface FeatureFlagsTable {
  id: Generated<number>;
  name: string;
  /** Whether the feature is enabled for everyone. */
  on_for_all: Generated<boolean>;
  /** Between 0 and 100, exclusive; null: not set. */
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
