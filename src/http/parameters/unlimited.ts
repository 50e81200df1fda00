import type { TSchema } from 'typebox';
import type { Parameters } from './declarations.ts';
import { findFirstText } from './first-text.ts';

interface JsonSchema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/**
 * Returns the name of the first text or list whose schema has no length limit, or null. Every parameter must have one
 * (contract/conventions.md §3 "Limits of texts").
 */
export function findUnlimitedParameter(declared: Parameters): string | null {
  return findFirstText(Object.entries(declared), ([name, { type }]) =>
    type.unvalidated ? null : findUnlimitedPart(type.schema, name),
  );
}

function findUnlimitedPart(schema: TSchema, name: string): string | null {
  const { type, anyOf, properties, items, enum: values } = schema as JsonSchema;
  if (values !== undefined) return null;
  if (anyOf !== undefined) return findFirstText(anyOf, (part) => findUnlimitedPart(part, name));
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return null;
    case 'string':
      return 'maxLength' in schema ? null : name;
    case 'array':
      return 'maxItems' in schema ? findUnlimitedPart(items ?? {}, `${name}[]`) : name;
    case 'object':
      if (properties === undefined && !('maxProperties' in schema)) return name;
      return findFirstText(Object.entries(properties ?? {}), ([key, part]) =>
        findUnlimitedPart(part, `${name}[${key}]`),
      );
    default:
      return name;
  }
}
