import { hash, optional, required } from '#http/parameters/declarations.ts';
import { ruledText } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import { LONGEST_TEXT, LONGEST_VALUE } from './validation.ts';

/** What calls say of variables; what may not be is told in the words of the record (`validation.ts`). */

const variableType = oneOf('env_var', 'file');
const value = ruledText(LONGEST_VALUE.file);
export const scope = ruledText(LONGEST_TEXT);

const description = optional(ruledText(LONGEST_TEXT));

export const NEW = {
  key: required(ruledText(LONGEST_TEXT)),
  value: required(value),
  variable_type: optional(variableType, 'env_var'),
  protected: optional(boolean, false),
  masked: optional(boolean, false),
  raw: optional(boolean, false),
  description,
};

export const CHANGED = {
  value: optional(value),
  variable_type: optional(variableType),
  protected: optional(boolean),
  masked: optional(boolean),
  raw: optional(boolean),
  description,
};

/** Which of several with one key is meant. */
export const FILTER = { filter: optional(hash({ environment_scope: optional(scope) })) };
