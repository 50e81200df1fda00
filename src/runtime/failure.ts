import { formatQuotedList } from '#text/json-object.ts';

/**
 * A domain error: a code that the endpoint's `errors` table maps to a status and a body. The domain knows neither.
 * A transaction whose work returns a Failure is rolled back.
 */
export class Failure<Code extends string = string> {
  readonly code: Code;
  readonly values: FailureValues;

  constructor(code: Code, values: FailureValues = {}) {
    this.code = code;
    this.values = values;
  }
}

/** Values for the placeholders of the error text; validation errors of a record are in `errors`. */
type FailureValues = Readonly<Record<string, unknown>>;

export function fail<const Code extends string>(code: Code, values?: FailureValues): Failure<Code> {
  return new Failure(code, values);
}

export function isFailure(value: unknown): value is Failure {
  return value instanceof Failure;
}

/** Validation errors of a record by field, as they are serialized (contract/conventions.md §5). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Removes the fields without errors. Returns null if no errors remain. */
export function compactFieldErrors(fields: FieldErrors): FieldErrors | null {
  const invalidFields = Object.entries(fields).filter(([, texts]) => texts.length > 0);
  return invalidFields.length === 0 ? null : Object.fromEntries(invalidFields);
}

/** Formats field errors as some endpoints show them: `{:title=>["can't be blank"]}`. */
export function formatFieldErrors(errors: FieldErrors): string {
  const fields = Object.entries(errors).map(([field, texts]) => `:${field}=>${formatQuotedList(texts)}`);
  return `{${fields.join(', ')}}`;
}

/** Returns the failure for an invalid record; its entry in `errors` is `INVALID`. */
export function invalid(errors: FieldErrors): Failure<'invalid'> {
  return fail('invalid', { errors });
}

/** Returns whether an error has this code of Node or of the system, such as `ENOENT`. */
export const hasErrorCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/**
 * Thrown when a referenced row was deleted between two queries. The server then repeats a read request; for a write it repeats the
 * access checks and responds with their error (`http/server`).
 */
export class RowDeleted extends Error {
  constructor() {
    super('A row was deleted while it was being read');
  }
}

/** Returns the row. Throws `RowDeleted` if it is missing, although an earlier query found it. */
export function requireRow<Row>(row: Row | null | undefined): Row {
  if (row == null) throw new RowDeleted();
  return row;
}
