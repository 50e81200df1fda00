import type { Updateable } from 'kysely';
import type { Schema } from '#database/schema.ts';
import { type AttributeName, PROJECT_ATTRIBUTES, type ProjectAttributeInput } from './attributes.ts';

const columnNames = (Object.keys(PROJECT_ATTRIBUTES) as AttributeName[]).filter(
  (name) => PROJECT_ATTRIBUTES[name].kind === 'column',
);

/** Returns the columns of the project that the input sets. */
export function toProjectColumns(
  input: ProjectAttributeInput,
): Partial<Pick<Updateable<Schema['projects']>, ColumnName>> {
  const columns = columnNames.filter((name) => input[name] !== undefined).map((name) => [name, input[name]] as const);
  return Object.fromEntries(columns);
}

type ColumnName =
  | 'description'
  | 'lfs_enabled'
  | 'visibility'
  | Extract<keyof Schema['projects'], `${string}_access_level`>;
