/** Roles by number (contract/README.md "Glossary"). 60 occurs only in access lists and means administrators. */
export const GUEST = 10;
export const PLANNER = 15;
export const REPORTER = 20;
export const DEVELOPER = 30;
export const MAINTAINER = 40;
export const OWNER = 50;
export const INSTANCE_ADMIN = 60;

/** Minimum role for checks that any membership passes. */
export const ANY_ROLE = 1;

export const ROLES: readonly number[] = [GUEST, PLANNER, REPORTER, DEVELOPER, MAINTAINER, OWNER];

const ROLE_NAMES: Readonly<Record<number, string>> = {
  [GUEST]: 'Guest',
  [PLANNER]: 'Planner',
  [REPORTER]: 'Reporter',
  [DEVELOPER]: 'Developer',
  [MAINTAINER]: 'Maintainer',
  [OWNER]: 'Owner',
};

/** Returns the display name of a role. */
export function getRoleName(role: number): string {
  return ROLE_NAMES[role] ?? 'No access';
}
