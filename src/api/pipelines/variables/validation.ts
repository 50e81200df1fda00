import type { Columns } from '#database/database.ts';
import type { VariableType } from '#database/schema.ts';
import type { FieldErrors } from '#runtime/failure.ts';

// Validates variables (contract/runners.md §4.5). Pure: returns error texts by field.

export interface VariableContent
  extends Columns<'ci_variables', 'key' | 'variable_type' | 'masked' | 'raw' | 'environment_scope' | 'description'> {
  readonly value: string;
}

export const MAX_VALUE_LENGTH = { env_var: 10_000, file: 50_000 } as const satisfies Record<VariableType, number>;
export const MAX_TEXT_LENGTH = 255;

const TOO_LONG = `is too long (maximum is ${MAX_TEXT_LENGTH} characters)`;

/** Returns the errors of each field; empty arrays if the variable is valid. */
export function validateVariable(variable: VariableContent) {
  return {
    key: validateKey(variable.key),
    value: validateValue(variable),
    environment_scope: validateScope(variable.environment_scope),
    description: isLongerThan(variable.description ?? '', MAX_TEXT_LENGTH) ? [TOO_LONG] : [],
  } satisfies FieldErrors;
}

function validateKey(key: string): string[] {
  return [
    ...(key === '' ? ["can't be blank"] : []),
    ...(isLongerThan(key, MAX_TEXT_LENGTH) ? [TOO_LONG] : []),
    ...(/^[A-Za-z0-9_]+$/.test(key) ? [] : ["can contain only letters, digits and '_'."]),
  ];
}

function validateValue({ value, variable_type, masked, raw }: VariableContent): string[] {
  const maxLength = MAX_VALUE_LENGTH[variable_type];
  return [
    ...(isLongerThan(value, maxLength)
      ? [`The value of the provided variable exceeds the ${maxLength} character limit`]
      : []),
    ...(masked && !(raw ? /^\S{8,}$/ : /^[a-zA-Z0-9_+=/@:.~-]{8,}$/).test(value) ? ['is invalid'] : []),
  ];
}

function validateScope(scope: string): string[] {
  const hasValidCharacters = /^[A-Za-z0-9\-_/${}.* ]+$/.test(scope);
  return [
    ...(scope.trim() === '' ? ["can't be blank"] : []),
    ...(isLongerThan(scope, MAX_TEXT_LENGTH) ? [TOO_LONG] : []),
    ...(hasValidCharacters
      ? []
      : ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"]),
  ];
}

/** Returns whether the text has more characters than this; surrogate pairs count as one. */
function isLongerThan(text: string, maxLength: number): boolean {
  return text.length > maxLength && [...text].length > maxLength;
}
