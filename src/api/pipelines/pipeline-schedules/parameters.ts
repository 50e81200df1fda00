import { optional, required } from '#http/parameters/declarations.ts';
import { description, refName, ruledText, string } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';

/** What calls say of schedules, and of what these give to their pipelines (contract/runners.md §4.7). */

const cron = string;
const zone = string;

export const NEW = {
  description: required(description),
  ref: required(refName),
  cron: required(cron),
  cron_timezone: optional(zone, 'UTC'),
  active: optional(boolean, true),
};

export const CHANGED = {
  description: optional(description),
  ref: optional(refName),
  cron: optional(cron),
  cron_timezone: optional(zone),
  active: optional(boolean),
};

const value = ruledText(50_000);
const variableType = oneOf('env_var', 'file');

export const NEW_VARIABLE = {
  key: required(ruledText(255)),
  value: required(value),
  variable_type: optional(variableType, 'env_var'),
};

export const CHANGED_VARIABLE = { value: optional(value), variable_type: optional(variableType) };
