import { optional, type Parameter } from '#http/parameters/declarations.ts';
import { type ParameterType, Problems } from '#http/parameters/parameter-type.ts';

/** Creates an optional parameter that ignores invalid values instead of failing the element. */
export function ignoringInvalid<T>({ schema, read }: ParameterType<T>): Parameter<T, 'optional'> {
  return optional({
    schema,
    read(raw, name) {
      const problems = new Problems();
      const value = read(raw, name, problems);
      return problems.any ? null : value;
    },
  });
}
