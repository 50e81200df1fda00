import type { TSchema } from 'typebox';
import { fieldOf, nullable } from '#http/endpoint/responses.ts';
import {
  type Attribute,
  type AttributeValues,
  attributeEntries,
  type StoredAttributes,
  type StoredName,
} from './attributes.ts';

/** The attributes that live in the JSON of a project's row: how they are kept, and which of them are shown to whom. */

const storedEntries = attributeEntries.filter(([, { home }]) => home === 'stored') as [StoredName, Attribute][];
const defaults = Object.fromEntries(storedEntries.map(([name, { fallback }]) => [name, fallback])) as StoredAttributes;

/** The stored attributes of a project's row. */
export function storedAttributes(project: { readonly attributes: string }): StoredAttributes {
  return project.attributes === '{}' ? defaults : { ...defaults, ...JSON.parse(project.attributes) };
}

/** The same after changes, as the row holds them: only what differs from the defaults. */
export function withStored(attributesOfRow: string, changes: Partial<StoredAttributes>): string {
  const all = { ...storedAttributes({ attributes: attributesOfRow }), ...changes };
  const different = Object.entries(all).filter(([name, value]) => !isSame(value, defaults[name as StoredName]));
  return JSON.stringify(Object.fromEntries(different));
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(other));
}

/** Of sent attributes those that live in the JSON. */
export function storedPart(sent: AttributeValues): Partial<StoredAttributes> {
  return Object.fromEntries(
    storedEntries.filter(([name]) => sent[name] !== undefined).map(([name]) => [name, sent[name]]),
  );
}

/** The defaults of those that everybody sees, and of those that Maintainers see. */
const shownDefaults = {
  everybody: Object.fromEntries(
    storedEntries.filter(([, { maintainers }]) => !maintainers).map(([name]) => [name, defaults[name]]),
  ),
  maintainers: defaults as Readonly<Record<string, unknown>>,
};

/** The stored attributes that a caller sees. Lists ask for each of their projects: few rows hold more than a few. */
export function shownAttributes(
  { attributes }: { readonly attributes: string },
  asMaintainer: boolean,
): Partial<StoredAttributes> {
  const usual = asMaintainer ? shownDefaults.maintainers : shownDefaults.everybody;
  if (attributes === '{}') return usual;
  const shown: Record<string, unknown> = { ...usual };
  for (const [name, value] of Object.entries(JSON.parse(attributes))) if (name in usual) shown[name] = value;
  return shown;
}

const schemaOf = ({ type, clearable }: Attribute): TSchema =>
  clearable ? nullable(fieldOf(type.schema)) : fieldOf(type.schema);

function schemasOf(wanted: (attribute: Attribute) => boolean): Record<string, TSchema> {
  const chosen = storedEntries.filter(([, attribute]) => wanted(attribute));
  return Object.fromEntries(chosen.map(([name, attribute]) => [name, schemaOf(attribute)]));
}

/** Fields of the wire shape that everybody sees, and those of Maintainers. */
export const everybodysFields = schemasOf(({ maintainers: theirs }) => !theirs);
export const maintainersFields = schemasOf(({ maintainers: theirs }) => theirs === true);
