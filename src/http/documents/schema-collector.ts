import type { TSchema } from 'typebox';
import type { Json } from '../services.ts';

/** Returns the description of a field of the schema with this title; undefined if its name is sufficient. */
type DescribeField = (name: string, title: string) => string | undefined;

/** Returns the type of an enumeration of texts, without which generators of clients know nothing about its values. */
function getEnumType(schema: { readonly enum?: readonly unknown[]; readonly type?: unknown }): Record<string, unknown> {
  const isOfTexts = schema.type === undefined && schema.enum?.every((value) => typeof value === 'string');
  return isOfTexts ? { type: 'string' } : {};
}

/**
 * Returns whether the schema describes an object without required fields. The document states that such an object may have
 * further fields.
 */
function isOpenObject(schema: { readonly type?: unknown; readonly required?: readonly string[] }): boolean {
  const { type, required = [] } = schema;
  return (
    type === 'object' && required.length === 0 && !('additionalProperties' in schema || 'patternProperties' in schema)
  );
}

/**
 * Moves the default values of a body's fields to their descriptions. Generators of clients take a field with a default for one that
 * is always present, which holds for responses only.
 */
function describeDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(describeDefaults);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, describeDefaults(value)] as const);
  const { default: defaultValue, ...rest } = Object.fromEntries(entries);
  if (defaultValue === undefined || 'properties' in rest) return Object.fromEntries(entries);
  const sentence = `Default: \`${typeof defaultValue === 'string' ? defaultValue : JSON.stringify(defaultValue)}\`.`;
  return { ...rest, description: rest.description === undefined ? sentence : `${rest.description} ${sentence}` };
}

/** Collects the schemas that have a title as components of the document. */
export class SchemaCollector {
  readonly components: Record<string, unknown> = {};
  readonly #describeField: DescribeField;
  readonly #sources = new Map<string, TSchema>();
  /** Levels of unions around the present schema: oapi-codegen gives two enumerations in one union the same name. */
  #unionDepth = 0;

  constructor(describeField: DescribeField) {
    this.#describeField = describeField;
  }

  /** Returns the schema with every named schema replaced by a reference. */
  toReference(schema: unknown): unknown {
    return this.#replace(schema, '');
  }

  /** Defines the schema of a request body as a component, and returns a reference to it. */
  defineBody(name: string, schema: unknown): Json {
    if (Object.hasOwn(this.components, name)) throw new Error(`Two different shapes have the name ${name}`);
    this.components[name] = describeDefaults(this.toReference(schema));
    return { $ref: `#/components/schemas/${name}` };
  }

  /** `title`: the schema that contains this one, for the descriptions of fields. */
  #replace(schema: unknown, title: string): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#replace(item, title));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title: ownTitle } = schema as { title?: unknown };
    if (typeof ownTitle !== 'string') return this.#replaceNested(schema, title);
    this.#defineTitled(ownTitle, schema as TSchema);
    return { $ref: `#/components/schemas/${ownTitle}` };
  }

  #replaceNested(schema: object, title: string): Json {
    const {
      items,
      additionalItems: _additionalItems,
      ...rest
    } = schema as { items?: unknown; additionalItems?: unknown };
    if (Array.isArray(items)) {
      // JSON Schema 2020-12 renamed the keywords of tuples. Their `maxItems` excludes further items.
      return this.#replaceValues({ ...rest, prefixItems: items, items: {} }, title);
    }
    return this.#replaceValues(
      title !== '' && isOpenObject(schema) ? { ...schema, additionalProperties: true } : schema,
      title,
    );
  }

  #replaceValues(schema: object, title: string): Json {
    const replaced: Record<string, unknown> = this.#unionDepth === 0 ? getEnumType(schema) : {};
    for (const [key, value] of Object.entries(schema)) {
      const isFields = key === 'properties' && title !== '';
      if (key === 'anyOf') this.#unionDepth++;
      replaced[key] = isFields ? this.#replaceFields(value as object, title) : this.#replace(value, title);
      if (key === 'anyOf') this.#unionDepth--;
    }
    return replaced;
  }

  #replaceFields(fields: object, title: string): Json {
    const replaced: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      const schema = this.#replace(field, title) as Json;
      const description = schema.description === undefined ? this.#describeField(name, title) : undefined;
      replaced[name] = description === undefined ? schema : { ...schema, description };
    }
    return replaced;
  }

  #defineTitled(title: string, schema: TSchema): void {
    const existing = this.#sources.get(title);
    if (existing === schema) return;
    if (existing !== undefined && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`Two different shapes have the name ${title}`);
    if (existing !== undefined) return;
    this.#sources.set(title, schema);
    const { title: _title, ...rest } = schema as TSchema & { title?: string };
    // Entities exclude other fields; a schema with a title that does not is open on purpose.
    const isOpen = (schema as { type?: unknown }).type === 'object' && !('additionalProperties' in schema);
    const unionDepth = this.#unionDepth;
    this.#unionDepth = 0;
    this.components[title] = this.#replaceNested(isOpen ? { ...rest, additionalProperties: true } : rest, title);
    this.#unionDepth = unionDepth;
  }
}
