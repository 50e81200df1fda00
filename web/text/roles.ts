/** The roles of members, from the lowest. */
export const ROLES: readonly (readonly [level: number, name: string])[] = [
  [10, 'Guest'],
  [15, 'Planner'],
  [20, 'Reporter'],
  [30, 'Developer'],
  [40, 'Maintainer'],
  [50, 'Owner'],
];

/** Returns the name of a role. */
export const formatRole = (role: number): string => ROLES.find(([level]) => level === role)?.[1] ?? String(role);
