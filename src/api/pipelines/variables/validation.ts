import type { VariableType } from '#database/tables/pipelines.ts';
import type { FieldErrors } from '#runtime/failure.ts';

/** What a variable may be (contract/runners.md §4.5). Pure: by field, the texts of what is wrong. */

export interface Described {
  readonly key: string;
  readonly value: string;
  readonly variable_type: VariableType;
  readonly masked: boolean;
  readonly raw: boolean;
  readonly environment_scope: string;
  readonly description: string | null;
}

export const LONGEST_VALUE = { env_var: 10_000, file: 50_000 } as const satisfies Record<VariableType, number>;
export const LONGEST_TEXT = 255;

const TOO_LONG = `is too long (maximum is ${LONGEST_TEXT} characters)`;

export function problemsOf(variable: Described) {
  return {
    key: keyProblems(variable.key),
    value: valueProblems(variable),
    environment_scope: scopeProblems(variable.environment_scope),
    description: isLong(variable.description ?? '', LONGEST_TEXT) ? [TOO_LONG] : [],
  } satisfies FieldErrors;
}

function keyProblems(key: string): string[] {
  return [
    ...(key === '' ? ["can't be blank"] : []),
    ...(isLong(key, LONGEST_TEXT) ? [TOO_LONG] : []),
    ...(/^[A-Za-z0-9_]+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
  ];
}

function valueProblems({ value, variable_type, masked, raw }: Described): string[] {
  const most = LONGEST_VALUE[variable_type];
  return [
    ...(isLong(value, most) ? [`The value of the provided variable exceeds the ${most} character limit`] : []),
    ...(masked && !(raw ? /^\S{8,}$/ : /^[a-zA-Z0-9_+=/@:.~-]{8,}$/).test(value) ? ['is invalid'] : []),
  ];
}

function scopeProblems(scope: string): string[] {
  const isKnown = /^[A-Za-z0-9\-_/${}.* ]+$/.test(scope);
  return [
    ...(scope.trim() === '' ? ["can't be blank"] : []),
    ...(isLong(scope, LONGEST_TEXT) ? [TOO_LONG] : []),
    ...(isKnown ? [] : ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"]),
  ];
}

function isLong(text: string, most: number): boolean {
  return text.length > most && [...text].length > most;
}
