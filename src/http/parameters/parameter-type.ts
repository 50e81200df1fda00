import type { TSchema } from 'typebox';
import type { FieldErrors } from '#runtime/failure.ts';

/**
 * The type of a parameter: converts a value from query, form or JSON (contract/conventions.md §3 "Coercion"), and provides the
 * schema for the OpenAPI document.
 */
export interface ParameterType<T> {
  /** Texts must have a `maxLength` and lists a `maxItems`; the server does not start without them. */
  readonly schema: TSchema;
  /** Whether values are limited to a list or range: an absent required parameter reports that too. */
  readonly limitsValues?: boolean;
  /** Whether blank values are rejected: an absent required parameter is reported as "missing" and "empty". */
  readonly rejectsBlank?: boolean;
  /** Whether an empty text counts as absent. */
  readonly absentIfBlank?: boolean;
  /**
   * Whether values are objects: an array of objects accepts `a[x]=1` as its only element, and names elements by index.
   */
  readonly isObject?: boolean;
  /** The value of a required parameter that is sent as null; without it such a parameter counts as missing. */
  readonly valueForNull?: T;
  /** Whether the value is not validated and not stored, so that its length is not limited. */
  readonly unvalidated?: true;
  /** Returns a message if a text or list is too long, for bodies that handlers read themselves. */
  readonly getLengthError?: (raw: unknown, name: string) => string | null;
  /** Returns the value, or null if it is absent or invalid; reports errors to `problems`. */
  read(raw: unknown, name: string, problems: Problems): T | null;
}

/** Collects the problems with the parameters of a request: each message once, in declaration order. */
export class Problems {
  readonly #texts = new Set<string>();
  readonly #fields = new Map<string, Set<string>>();
  /** The number of reported problems, repeated ones included. */
  count = 0;

  add(text: string): null {
    this.count++;
    this.#texts.add(text);
    return null;
  }

  addInvalid(name: string): null {
    return this.add(`${name} is invalid`);
  }

  /** Adds a validation error of a field. Field errors are sent only if there are no other problems. */
  addToField(name: string, text: string): null {
    this.count++;
    const texts = this.#fields.get(name) ?? new Set();
    this.#fields.set(name, texts.add(text));
    return null;
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  get fields(): FieldErrors {
    return Object.fromEntries([...this.#fields].map(([name, texts]) => [name, [...texts]]));
  }

  get any(): boolean {
    return this.count > 0;
  }
}

/** Returns the first text that `getText` returns for an item, or null if it returns null for all. */
export function findFirstText<T>(
  items: readonly T[],
  getText: (item: T, index: number) => string | null,
): string | null {
  for (const [index, item] of items.entries()) {
    const text = getText(item, index);
    if (text !== null) return text;
  }
  return null;
}
