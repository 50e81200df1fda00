import type { TSchema } from 'typebox';
import type { FieldErrors } from '#runtime/failure.ts';

/**
 * What a parameter is declared with: how a value from query, form or JSON becomes a value of the domain
 * (contract/conventions.md §3 "Coercion"), and the schema that the OpenAPI document shows.
 */
export interface ParameterType<T> {
  /** Texts have a `maxLength` in it, lists `maxItems`: a declaration without them stops the start. */
  readonly schema: TSchema;
  /** A declared value list or range: a required parameter that is absent breaks this rule too. */
  readonly limitsValues?: boolean;
  /** Blank values are refused: an absent required parameter is "missing" and "empty". */
  readonly refusesBlank?: boolean;
  /** An empty text counts as if the parameter had not been sent. */
  readonly absentIfBlank?: boolean;
  /** A hash: an array of them takes `a[x]=1` as its one element, and names elements by their index. */
  readonly isHash?: boolean;
  /** What a required key with the value null stands for; without it such a key counts as missing. */
  readonly blank?: T;
  /** Neither looked at nor kept, so that it may be anything of any length. */
  readonly unread?: true;
  /** Says so of a text or list that is longer than it may be, and reads nothing: for bodies that are read by hand. */
  readonly tooLong?: (raw: unknown, name: string) => string | null;
  /** The value, null for "absent value", or what is wrong, told to `problems`. */
  read(raw: unknown, name: string, problems: Problems): T | null;
}

/** Collects what is wrong with the parameters of one request: each text once, in declaration order. */
export class Problems {
  readonly #texts = new Set<string>();
  readonly #fields = new Map<string, Set<string>>();
  /** How often something has been said, the same again counted too. */
  said = 0;

  add(text: string): null {
    this.said++;
    this.#texts.add(text);
    return null;
  }

  invalid(name: string): null {
    return this.add(`${name} is invalid`);
  }

  /** What a record says of its field: answered as records answer, unless a parameter is wrong besides. */
  addToField(name: string, text: string): null {
    this.said++;
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
    return this.said > 0;
  }
}
