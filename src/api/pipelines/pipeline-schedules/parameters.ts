import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, refName, string } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';

/** Parameters of schedules and their variables (contract/runners.md §4.7). */

const cron = string;
const zone = string;

export const CREATE_SCHEDULE_PARAMS = {
  description: required(longText),
  ref: required(refName),
  cron: required(cron),
  cron_timezone: optional(zone, 'UTC'),
  active: optional(boolean, true),
};

export const UPDATE_SCHEDULE_PARAMS = {
  description: optional(longText),
  ref: optional(refName),
  cron: optional(cron),
  cron_timezone: optional(zone),
  active: optional(boolean),
};

const value = domainValidatedText(50_000);
const variableType = oneOf('env_var', 'file');

export const CREATE_VARIABLE_PARAMS = {
  key: required(domainValidatedText(255)),
  value: required(value),
  variable_type: optional(variableType, 'env_var'),
};

export const UPDATE_VARIABLE_PARAMS = { value: optional(value), variable_type: optional(variableType) };
