import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { type ParameterType, Problems } from '#http/parameters/parameter-type.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { createRegistry } from '#http/server/routing/registry.ts';

// Every text, list and object that an endpoint takes has a limit, wherever it is nested and whatever it consists of
// (contract/conventions.md §3 "Limits of texts"). The limit counts before blanks are trimmed.

const endpoints = createRegistry(resourceModules).endpoints;

interface Schema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** A value that exceeds one limit of a schema. */
interface LargeValue {
  readonly value: unknown;
  /** The characters that a text may keep where its resource reports the length itself. */
  readonly characters?: number;
}

const MEBIBYTE = 1024 * 1024;
/** Contents of files are limited by their bodies. */
const LONGEST = 10 * MEBIBYTE;

function largeValues({ type, anyOf, items, properties, maxLength, ...schema }: Schema): LargeValue[] {
  if (schema.enum !== undefined) return [];
  if (anyOf !== undefined) return anyOf.flatMap(largeValues);
  if (type === 'string' && maxLength !== undefined) return maxLength > LONGEST ? [] : largeTexts(maxLength);
  if (type === 'array') {
    const many = Array.from({ length: (schema.maxItems ?? MEBIBYTE) + 1 }, (_, index) => String(index));
    return [{ value: many }, ...largeValues(items ?? {}).map(({ value, ...rest }) => ({ value: [value], ...rest }))];
  }
  if (properties === undefined || Object.keys(properties).length === 0) return largeObjects(schema);
  return Object.entries(properties).flatMap(([name, property]) =>
    largeValues(property).map(({ value, ...rest }) => ({ value: { [name]: value }, ...rest })),
  );
}

/** Texts just beyond the limit, and beyond what a resource that reports the length itself receives. */
function largeTexts(characters: number): LargeValue[] {
  const beyond = 3 * characters + 10;
  return ['x'.repeat(characters + 1), 'x'.repeat(beyond), '\n'.repeat(beyond)].map((value) => ({ value, characters }));
}

/** No body has an object with more members (contract/conventions.md §1 stage 3). */
const MAX_MEMBERS = 50_000;

function largeObjects({ maxProperties }: Schema): LargeValue[] {
  if (maxProperties === undefined || maxProperties >= MAX_MEMBERS) return [];
  return [{ value: Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`a${index}`, '1'])) }];
}

/** Whether the value is rejected, or cut to a text that its resource rejects. */
function isLimited(type: ParameterType<unknown>, { value, characters = 0 }: LargeValue): boolean {
  const problems = new Problems();
  const result = type.read(value, 'x', problems);
  const texts = [...problems.texts, ...Object.values(problems.fields).flat()];
  if (texts.some((text) => !text.endsWith(' is missing'))) return true;
  const text = textIn(result);
  return text !== null && text.trim().length > characters && text.length <= 2 * characters + 2;
}

/** Returns the only text of a value, or null. */
function textIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  const texts = Object.values(value)
    .map(textIn)
    .filter((text) => text !== null);
  return texts.length === 1 ? texts[0]! : null;
}

/** Payloads whose resource measures an object and its JSON text alike (contract/monitoring.md §5). */
const MEASURED_BY_RESOURCE = ['payload', 'payload_example'];

function unlimitedParameters(endpoint: Endpoint): string[] {
  return Object.entries({ ...getDeclaredParameters(endpoint), ...endpoint.fields })
    .filter(([name, { type }]) => !type.unvalidated && !MEASURED_BY_RESOURCE.includes(name))
    .filter(([, { type }]) => !largeValues(type.schema as Schema).every((value) => isLimited(type, value)))
    .map(([name]) => `${endpoint.name} ${name}`);
}

test('rejects every text, list and object that is larger than the limit of its parameter', () => {
  assert.ok(endpoints.length > 500);
  assert.deepEqual(endpoints.flatMap(unlimitedParameters), []);
});
