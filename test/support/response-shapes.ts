import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

// Loaded once for all test files of a process: it has no state of a world.

const compiled = new WeakMap<TSchema, Validator>();

/** Returns whether the value matches the schema. Compiles the schema at first use: interpreting it is ten times slower. */
export function hasShape(schema: TSchema, value: unknown): boolean {
  let validator = compiled.get(schema);
  if (validator === undefined) {
    validator = Compile(schema);
    compiled.set(schema, validator);
  }
  return validator.Check(value);
}
