import { object, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { MAX_TEXT_LENGTH, MAX_VALUE_LENGTH } from './validation.ts';

/** Parameters of variables; `validation.ts` validates them. */

const variableType = oneOf('env_var', 'file');
const value = domainValidatedText(MAX_VALUE_LENGTH.file);
export const environmentScope = domainValidatedText(MAX_TEXT_LENGTH);

const description = optional(domainValidatedText(MAX_TEXT_LENGTH));

export const CREATE_PARAMS = {
  key: required(domainValidatedText(MAX_TEXT_LENGTH)),
  value: required(value),
  variable_type: optional(variableType, 'env_var'),
  protected: optional(boolean, false),
  masked: optional(boolean, false),
  raw: optional(boolean, false),
  description,
};

export const UPDATE_PARAMS = {
  value: optional(value),
  variable_type: optional(variableType),
  protected: optional(boolean),
  masked: optional(boolean),
  raw: optional(boolean),
  description,
};

/** Selects one of several variables with the same key. */
export const FILTER_PARAMS = { filter: optional(object({ environment_scope: optional(environmentScope) })) };
