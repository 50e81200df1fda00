import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

// Loaded once for all test files of a process: it holds nothing of a world.

const compiled = new WeakMap<TSchema, Validator>();

/** Whether the value has this shape. Compiled at the first question: reading the schema for each answer costs ten times as much. */
export function hasShape(schema: TSchema, value: unknown): boolean {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator.Check(value);
}
