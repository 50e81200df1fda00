import type { Updateable } from 'kysely';
import type { TSchema } from 'typebox';
import type { Schema } from '#database/schema.ts';
import { nullable, responseField } from '#http/endpoint/responses.ts';
import {
  type AttributeName,
  PROJECT_ATTRIBUTES,
  type ProjectAttribute,
  type ProjectAttributeInput,
  projectAttributeEntries,
  type StoredAttributes,
  type StoredName,
} from './attributes.ts';
import { ATTRIBUTE_DESCRIPTIONS } from './descriptions.ts';

/** The attributes in the JSON column of a project: how they are stored, and who can see them. */

const storedEntries = projectAttributeEntries.filter(([, { kind }]) => kind === 'stored') as [
  StoredName,
  ProjectAttribute,
][];
const defaults = Object.fromEntries(
  storedEntries.map(([name, { defaultValue: fallback }]) => [name, fallback]),
) as StoredAttributes;

/** Returns the stored attributes of a project, with defaults. */
export function parseStoredAttributes(project: { readonly attributes: string }): StoredAttributes {
  return project.attributes === '{}' ? defaults : { ...defaults, ...JSON.parse(project.attributes) };
}

/** Applies changes and returns the JSON for the column, which contains only values that differ from the defaults. */
export function mergeStoredAttributes(attributesJson: string, changes: Partial<StoredAttributes>): string {
  const mergedAttributes = { ...parseStoredAttributes({ attributes: attributesJson }), ...changes };
  const nonDefaultEntries = Object.entries(mergedAttributes).filter(
    ([name, value]) => !isEqual(value, defaults[name as StoredName]),
  );
  return JSON.stringify(Object.fromEntries(nonDefaultEntries));
}

function isEqual(value: unknown, otherValue: unknown): boolean {
  return value === otherValue || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(otherValue));
}

/** Returns those attributes of the input that are stored in the JSON column. */
export function pickStoredAttributes(input: ProjectAttributeInput): Partial<StoredAttributes> {
  return Object.fromEntries(
    storedEntries.filter(([name]) => input[name] !== undefined).map(([name]) => [name, input[name]]),
  );
}

const serializedEntries = storedEntries.filter(([, { hidden }]) => !hidden);
const getDefaults = (entries: typeof storedEntries): Readonly<Record<string, unknown>> =>
  Object.fromEntries(entries.map(([name]) => [name, defaults[name]]));

/** The defaults of the attributes that everybody can see, and of those that Maintainers can see. */
const visibleDefaults = {
  everybody: getDefaults(serializedEntries.filter(([, { maintainersOnly }]) => !maintainersOnly)),
  maintainers: getDefaults(serializedEntries),
};

/** Returns the stored attributes that the caller can see. A row that stores no values costs no parsing. */
export function pickVisibleAttributes(
  { attributes }: { readonly attributes: string },
  asMaintainer: boolean,
): Partial<StoredAttributes> {
  const visible = asMaintainer ? visibleDefaults.maintainers : visibleDefaults.everybody;
  if (attributes === '{}') return visible;
  const result: Record<string, unknown> = { ...visible };
  for (const [name, value] of Object.entries(JSON.parse(attributes))) if (name in visible) result[name] = value;
  return result;
}

/** Returns the schema of the response field of an attribute. */
function getSchema(name: StoredName, { type, clearable }: ProjectAttribute): TSchema {
  const { [name]: description }: { readonly [Name in StoredName]?: string } = ATTRIBUTE_DESCRIPTIONS;
  const schema = responseField(type.schema);
  const describedSchema: TSchema = description === undefined ? schema : { ...schema, description };
  return clearable ? nullable(describedSchema) : describedSchema;
}

function getSchemas(isIncluded: (attribute: ProjectAttribute) => boolean): Record<string, TSchema> {
  const includedEntries = serializedEntries.filter(([, attribute]) => isIncluded(attribute));
  return Object.fromEntries(includedEntries.map(([name, attribute]) => [name, getSchema(name, attribute)]));
}

/** The schema fields that everybody gets. */
export const publicFields = getSchemas(({ maintainersOnly }) => !maintainersOnly);
/** The schema fields that only Maintainers get. */
export const maintainersFields = getSchemas(({ maintainersOnly }) => maintainersOnly === true);

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
