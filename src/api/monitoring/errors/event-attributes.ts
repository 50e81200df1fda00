import type { JsonObject } from '#text/json-object.ts';

/** Older SDKs send some attributes of events under these names (contract/monitoring.md §12 "Older names"). */
const OLDER_NAMES = {
  exception: 'sentry.interfaces.Exception',
  logentry: 'sentry.interfaces.Message',
  request: 'sentry.interfaces.Http',
  stacktrace: 'sentry.interfaces.Stacktrace',
  template: 'sentry.interfaces.Template',
  user: 'sentry.interfaces.User',
} as const;

/** Returns an attribute of an event or of an exception by its name, or else by its older name. */
export function getAttribute(object: JsonObject, name: keyof typeof OLDER_NAMES): unknown {
  return object[name] ?? object[OLDER_NAMES[name]];
}
