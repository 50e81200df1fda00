import { join } from 'node:path';
import { test } from 'node:test';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { ROLES } from '#domain/members/roles.ts';
import { canSeeGroup, type Group } from '#domain/namespaces/groups.ts';
import { canSeeProject, type Project } from '#domain/namespaces/projects.ts';
import { golden } from '#test/support/golden.ts';
import {
  GROUP_ABILITIES,
  type GroupAbilityName,
  mayInGroup,
  mayInProject,
  PROJECT_ABILITIES,
  type ProjectAbilityName,
} from './abilities.ts';
import { type FeatureLevel, VISIBILITIES, type Visibility } from './visibility.ts';

// Who may do what, as a table to review: role x visibility x level of the feature that an ability hangs on.

const FEATURES = ['repository', 'issues', 'merge_requests', 'builds', 'environments', 'wiki', 'snippets'] as const;
const LEVELS: readonly FeatureLevel[] = ['enabled', 'private', 'disabled'];

interface Actor {
  readonly name: string;
  readonly caller: Caller;
  readonly role: number;
}

const signedIn = (admin: boolean) => ({ ...ANONYMOUS, user: { admin } }) as Caller;
const actors: readonly Actor[] = [
  { name: 'nobody', caller: ANONYMOUS, role: 0 },
  { name: 'user', caller: signedIn(false), role: 0 },
  ...['guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'].map((name, index) => ({
    name,
    caller: signedIn(false),
    role: ROLES[index] ?? 0,
  })),
  { name: 'administrator', caller: signedIn(true), role: 0 },
];

const allEnabled = Object.fromEntries(FEATURES.map((feature) => [`${feature}_access_level`, 'enabled'])) as Record<
  `${(typeof FEATURES)[number]}_access_level`,
  FeatureLevel
>;

/** `+` may, `-` may not, `~` does not even see it. */
const sign = (sees: boolean, may: () => boolean) => (!sees ? '~' : may() ? '+' : '-');
const line = (signs: readonly string[]) => signs.map((one) => ` ${one}  `).join(' ');

function projectLine(ability: ProjectAbilityName, visibility: Visibility, differences: Partial<Project> = {}): string {
  return line(
    actors.map(({ caller, role }) => {
      const project = { ...allEnabled, visibility, archived: false, attributes: '{}', ...differences } as Project;
      const seen: Project = { ...project, direct_role: 0, inherited_role: role };
      return sign(canSeeProject(caller, seen), () => mayInProject(caller, ability, seen));
    }),
  );
}

function groupLine(ability: GroupAbilityName, visibility: Visibility, differences: Partial<Group> = {}): string {
  return line(
    actors.map(({ caller, role }) => {
      const group = { visibility, role, member_below: 0, archived: false, attributes: '{}', ...differences } as Group;
      return sign(canSeeGroup(caller, group), () => mayInGroup(caller, ability, group));
    }),
  );
}

/** Every state that makes a difference to the ability; each is compared with the plain project of its visibility. */
function projectBlock(ability: ProjectAbilityName): string[] {
  return VISIBILITIES.flatMap((visibility) => {
    const plain = projectLine(ability, visibility);
    const differing = FEATURES.flatMap((feature) => {
      const byLevel = LEVELS.map((level) => projectLine(ability, visibility, { [`${feature}_access_level`]: level }));
      if (byLevel.every((one) => one === plain)) return [];
      return LEVELS.slice(1).map((level, index) => row(`${feature} ${level}`, byLevel[index + 1] ?? ''));
    });
    const archived = projectLine(ability, visibility, { archived: true });
    const jobs = projectLine(ability, visibility, { attributes: '{"public_jobs":false}' });
    if (jobs !== plain) differing.push(row('jobs not public', jobs));
    return [row(visibility, plain), ...differing, ...(archived === plain ? [] : [row('archived', archived)])];
  });
}

function groupBlock(ability: GroupAbilityName): string[] {
  return VISIBILITIES.flatMap((visibility) => {
    const plain = groupLine(ability, visibility);
    const below = groupLine(ability, visibility, { member_below: 1 });
    const archived = groupLine(ability, visibility, { archived: true });
    const wiki = (level: FeatureLevel) =>
      groupLine(ability, visibility, { attributes: JSON.stringify({ wiki_access_level: level }) });
    const differing = LEVELS.slice(1).map((level) => row(`wiki ${level}`, wiki(level)));
    return [
      row(visibility, plain),
      ...(wiki('disabled') === plain ? [] : differing),
      ...(below === plain ? [] : [row('member of something below', below)]),
      ...(archived === plain ? [] : [row('archived', archived)]),
    ];
  });
}

const isVisibility = (state: string) => (VISIBILITIES as readonly string[]).includes(state);
const row = (state: string, signs: string) =>
  `  ${(isVisibility(state) ? state : `  ${state}`).padEnd(30)}${signs}`.trimEnd();

const heading = `# Who may do what (src/authorization/abilities.ts), by visibility and by whatever else makes a difference; members by their role.
# + may   - may not   ~ does not see the project or group. Written by \`npm run matrix\`; a change here is a change of rights.
${' '.repeat(32)}${actors.map(({ name }) => name.slice(0, 4).padEnd(4)).join(' ')}
`;

test('abilities match abilities.txt', () => {
  const blocks = [
    ...PROJECT_ABILITIES.map((ability) => [`project ${ability}`, ...projectBlock(ability)]),
    ...GROUP_ABILITIES.map((ability) => [`group ${ability}`, ...groupBlock(ability)]),
  ];
  const text = `${heading}\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
  golden(join(import.meta.dirname, 'abilities.txt'), text);
});
