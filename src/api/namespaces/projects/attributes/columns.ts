import type { Updateable } from 'kysely';
import type { ProjectsTable } from '#database/tables/domain.ts';
import { cleanTopics } from '../validation.ts';
import { type AttributeName, type AttributeValues, attributes } from './attributes.ts';

const columnNames = (Object.keys(attributes) as AttributeName[]).filter((name) => attributes[name].home === 'column');

/** Of sent attributes those that are columns of the project's row, as the row holds them. */
export function columnsOf(sent: AttributeValues): Partial<Pick<Updateable<ProjectsTable>, ColumnName>> {
  const columns = columnNames.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]] as const);
  const { topics } = sent;
  return { ...Object.fromEntries(columns), ...(topics == null ? {} : { topics: JSON.stringify(cleanTopics(topics)) }) };
}

type ColumnName =
  | 'description'
  | 'topics'
  | 'lfs_enabled'
  | 'visibility'
  | Extract<keyof ProjectsTable, `${string}_access_level`>;
