import { readFile } from 'node:fs/promises';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { Registry } from '../server/routing/registry.ts';
import type { Json } from '../services.ts';

/** An example of an operation; `npm run examples` writes them to examples.jsonl, one operation a line. */
export interface OperationExample {
  readonly operation: string;
  readonly path?: Readonly<Record<string, string | number>>;
  readonly params?: Json;
  /** Absent if the operation has no JSON response, or if another operation has the example of its entity. */
  readonly response?: unknown;
}

/** The examples of all operations. */
export interface ApiExamples {
  readonly byOperation: ReadonlyMap<string, OperationExample>;
  /** A response by the name of its entity. */
  readonly byEntity: ReadonlyMap<string, unknown>;
}

/** Reads the examples. They are a file of their own, so that only servers that build the document have them in memory. */
export async function readExamples(registry: Registry): Promise<ApiExamples> {
  const text = await readFile(new URL('./examples.jsonl', import.meta.url), 'utf8');
  const examples = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as OperationExample);
  const byOperation = new Map(examples.map((example) => [example.operation, example]));
  const byEntity = new Map<string, unknown>();
  for (const endpoint of registry.endpoints) {
    const entity = getEntityName(endpoint);
    const response = byOperation.get(endpoint.name)?.response;
    const item = Array.isArray(response) ? response[0] : response;
    if (entity !== undefined && item !== undefined) byEntity.set(entity, item);
  }
  return { byOperation, byEntity };
}

/** Returns the name of the entity in the endpoint's response; undefined if it has none or several. */
export function getEntityName({ response: { schema } }: Endpoint): string | undefined {
  const { title, items } = (schema ?? {}) as { title?: string; items?: { title?: string } };
  return title ?? items?.title;
}
