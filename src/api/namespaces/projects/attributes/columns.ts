import type { Updateable } from 'kysely';
import type { ProjectsTable } from '#database/tables/domain.ts';
import { type AttributeName, attributes, type ProjectAttributeInput } from './attributes.ts';

const columnNames = (Object.keys(attributes) as AttributeName[]).filter((name) => attributes[name].kind === 'column');

/** Returns the columns of the project that the input sets. */
export function toProjectColumns(input: ProjectAttributeInput): Partial<Pick<Updateable<ProjectsTable>, ColumnName>> {
  const columns = columnNames.filter((name) => input[name] !== undefined).map((name) => [name, input[name]] as const);
  return Object.fromEntries(columns);
}

type ColumnName = 'description' | 'lfs_enabled' | 'visibility' | Extract<keyof ProjectsTable, `${string}_access_level`>;
