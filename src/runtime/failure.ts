import { quotedList } from '#text/quoted-list.ts';

/**
 * What the domain answers when it says no: a code that the endpoint's `refuses` table turns into a status and a text.
 * The domain knows no status and no text. A transaction whose work returns one is rolled back.
 */
export class Failure<Code extends string = string> {
  readonly code: Code;
  readonly values: FailureValues;

  constructor(code: Code, values: FailureValues = {}) {
    this.code = code;
    this.values = values;
  }
}

/** Values that fill the placeholders of the text; a record's `FieldErrors` travel as `errors`. */
type FailureValues = Readonly<Record<string, unknown>>;

export function fail<const Code extends string>(code: Code, values?: FailureValues): Failure<Code> {
  return new Failure(code, values);
}

export function isFailure(value: unknown): value is Failure {
  return value instanceof Failure;
}

/** What is wrong with a record, by field, as the wire tells it (contract/conventions.md §5). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** These fields' texts without the fields that have none; null when nothing is wrong. */
export function fieldErrors(fields: FieldErrors): FieldErrors | null {
  const broken = Object.entries(fields).filter(([, texts]) => texts.length > 0);
  return broken.length === 0 ? null : Object.fromEntries(broken);
}

/** The same as a text, in the notation that clients know from a few calls: `{:title=>["can't be blank"]}`. */
export function errorsInText(errors: FieldErrors): string {
  const fields = Object.entries(errors).map(([field, texts]) => `:${field}=>${quotedList(texts)}`);
  return `{${fields.join(', ')}}`;
}

/** The refusal of a record with errors, whose entry in `refuses` is `INVALID`. */
export function invalid(errors: FieldErrors): Failure<'invalid'> {
  return fail('invalid', { errors });
}
