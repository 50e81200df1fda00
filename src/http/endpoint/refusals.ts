import type { RefusalEntry } from './endpoint.ts';

/** The texts of refusals that many endpoints share, for their `refuses`. What only one family says stands there. */

/** A record's validation errors, `{"message":{"<field>":["<text>"]}}`: the refusal's value `errors` is the object. */
export const INVALID = [400, { message: '{errors}' }] as const satisfies RefusalEntry;

export const FORBIDDEN = [403, '403 Forbidden'] as const satisfies RefusalEntry;

/** A record below something that is there (contract/conventions.md §5). */
export const NOT_FOUND = [404, '404 Not found'] as const satisfies RefusalEntry;

/** The group or project that the path named went away while it was worked on. */
export const GONE = {
  Group: [404, '404 Group Not Found'],
  Project: [404, '404 Project Not Found'],
} as const satisfies Record<string, RefusalEntry>;

export const USER_NOT_FOUND = [404, '404 User Not Found'] as const satisfies RefusalEntry;

export const READ_ONLY = [
  400,
  'The repository is temporarily read-only. Please try again later.',
] as const satisfies RefusalEntry;
