import type { TSchema } from 'typebox';
import type { Parameters } from './declarations.ts';
import { firstText } from './first-text.ts';

interface JsonSchema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly items?: TSchema;
}

/**
 * The first text or list among these parameters whose schema does not say how long it may be
 * (contract/conventions.md §3 "Limits of texts"): no parameter may be declared so. Null where all say it.
 */
export function unlimitedParameter(declared: Parameters): string | null {
  return firstText(Object.entries(declared), ([name, { type }]) =>
    type.unread ? null : unlimitedPart(type.schema, name),
  );
}

function unlimitedPart(schema: TSchema, name: string): string | null {
  const { type, anyOf, properties, items, enum: values } = schema as JsonSchema;
  if (values !== undefined) return null;
  if (anyOf !== undefined) return firstText(anyOf, (part) => unlimitedPart(part, name));
  switch (type) {
    case 'integer':
    case 'number':
    case 'boolean':
      return null;
    case 'string':
      return 'maxLength' in schema ? null : name;
    case 'array':
      return 'maxItems' in schema ? unlimitedPart(items ?? {}, `${name}[]`) : name;
    case 'object':
      if (properties === undefined && !('maxProperties' in schema)) return name;
      return firstText(Object.entries(properties ?? {}), ([key, part]) => unlimitedPart(part, `${name}[${key}]`));
    default:
      return name;
  }
}
