import type { PersonName } from './project-data.ts';

export interface Person {
  readonly username: PersonName;
  readonly name: string;
  readonly jobTitle: string;
  readonly bio: string;
}

/** The people of Northfire, a maker of pellet stoves. */
export const PEOPLE: readonly Person[] = [
  { username: 'ingrid', name: 'Ingrid Solberg', jobTitle: 'Head of products', bio: 'Founded Northfire in a barn.' },
  { username: 'yuki', name: 'Yuki Tanaka', jobTitle: 'Lead of the firmware', bio: 'Owns the test bench.' },
  { username: 'samir', name: 'Samir Haddad', jobTitle: 'Firmware developer', bio: 'Motors, sensors, smoke.' },
  { username: 'pavel', name: 'Pavel Novák', jobTitle: 'Lead of the web shop', bio: 'Deploys on Thursdays.' },
  { username: 'lucia', name: 'Lucía Romero', jobTitle: 'Web developer', bio: 'Pages and pictures.' },
  { username: 'greta', name: 'Greta Baumann', jobTitle: 'Support', bio: 'Answers the phone.' },
];

const [REPORTER, DEVELOPER, OWNER] = [20, 30, 50];
/** The access level from which people may push and merge to `main`. */
export const MAINTAINER = 40;

interface GroupData {
  readonly path: 'stoves' | 'online';
  readonly name: string;
  readonly description: string;
  readonly visibility: 'public' | 'internal';
  readonly members: Readonly<Record<PersonName, number>>;
}

/** The two groups with the access level of each person. */
export const GROUPS: readonly GroupData[] = [
  {
    path: 'stoves',
    name: 'Stoves',
    description: 'What runs in the stoves',
    visibility: 'internal',
    members: { ingrid: OWNER, yuki: MAINTAINER, samir: DEVELOPER, pavel: REPORTER, lucia: REPORTER, greta: REPORTER },
  },
  {
    path: 'online',
    name: 'Online',
    description: 'Shop and handbook',
    visibility: 'public',
    members: { ingrid: OWNER, yuki: REPORTER, samir: REPORTER, pavel: MAINTAINER, lucia: MAINTAINER, greta: DEVELOPER },
  },
];

interface LabelData {
  readonly name: string;
  readonly color: string;
  readonly description: string;
}

/** The labels of both groups. */
export const LABELS: readonly LabelData[] = [
  { name: 'bug', color: '#c0392b', description: 'Something does not work' },
  { name: 'feature', color: '#2e86c1', description: 'Something new' },
  { name: 'safety', color: '#d35400', description: 'Needs a burn on the bench' },
  { name: 'documentation', color: '#7d6608', description: 'Handbook and comments' },
  { name: 'maintenance', color: '#566573', description: 'Tools and dependencies' },
];

interface MilestoneData {
  readonly title: string;
  readonly description: string;
}

/** The milestones of both groups, one for each quarter. */
export const MILESTONES: readonly MilestoneData[] = [
  { title: 'Heating season', description: 'Nothing that stops a stove in winter.' },
  { title: 'Spring', description: 'What the winter has shown.' },
  { title: 'Summer', description: 'Features for the next models.' },
  { title: 'Trade fair', description: 'Ready for the fair in autumn.' },
];
