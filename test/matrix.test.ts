import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allExamples, type Exemplified, ourShare } from './examples/all.ts';
import { ask, isStillThere } from './examples/call.ts';
import { CALLERS, type CallerName, type Example } from './examples/example.ts';
import { createCallers, createScene, type Scene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { createResponseCheck } from './support/documented-responses.ts';
import { golden, isSelected } from './support/golden.ts';
import { createLinkCheck } from './support/page-links.ts';
import { world } from './support/world.ts';

// The access matrix: the status of every endpoint for every caller in the private and the public scene.

const here = await world();
const callers = await createCallers(here);
const scenes = {
  private: await createScene(here, callers, 'private'),
  public: await createScene(here, callers, 'public'),
};

const findUndocumented = createResponseCheck(here.server.registry, (await here.anonymous.get('/openapi.json')).body);
const undocumented = new Set<string>();
const links = createLinkCheck(here.server);
here.listen((said) => {
  links.read(said);
  const found = findUndocumented(said);
  if (found !== null) undocumented.add(found);
});

type Statuses = readonly number[];

interface Asked {
  readonly statuses: Statuses;
  /** The caller that the example names. */
  readonly by: CallerName;
}

/** The last caller that may get more from a public scene than from the private one. */
const LAST_ASKED_IN_PUBLIC = CALLERS.indexOf('planner');

/**
 * Returns the statuses in the order of `CALLERS`. If a call consumed the data of the example, the data is created again for the
 * next caller. Visibility gives rights to strangers and lower roles: if a planner may do the same as in the private scene, so may
 * all after them, who are not asked again.
 */
async function askIn(scene: Scene, { endpoint, builds: [build] }: Exemplified, inPrivate?: Statuses): Promise<Asked> {
  const statuses: number[] = [];
  let example: Example | null = await build(scene);
  const { by } = example;
  for (const [index, name] of CALLERS.entries()) {
    if (inPrivate && index > LAST_ASKED_IN_PUBLIC && statuses[LAST_ASKED_IN_PUBLIC] === inPrivate[LAST_ASKED_IN_PUBLIC])
      return { statuses: [...statuses, ...inPrivate.slice(index)], by };
    example ??= await build(scene);
    const caller = callers[name];
    const { status } = await ask(here, endpoint, example, caller);
    statuses.push(status);
    if (status < 400 && !(await isStillThere(here, endpoint, example, caller))) example = null;
  }
  return { statuses, by };
}

interface Row {
  readonly what: Exemplified;
  readonly by: CallerName;
  readonly private: Statuses;
  readonly public: Statuses;
}

const all = await allExamples(here.server.registry);
const rows: Row[] = [];
for (const what of ourShare(all).filter(({ endpoint }) => isSelected(endpoint))) {
  const { by, statuses } = await askIn(scenes.private, what);
  rows.push({ what, by, private: statuses, public: (await askIn(scenes.public, what, statuses)).statuses });
}

const SIGNS: Readonly<Record<number, string>> = { 401: '?', 403: '-', 404: '~' };
const cell = (status: number) => `${status < 400 ? '+' : (SIGNS[status] ?? '!')}${status}`;
const cells = (statuses: Statuses) => statuses.map(cell).join(' ');

const file = join(import.meta.dirname, 'matrix.txt');

const heading = `# Who gets what: the status of each endpoint's example in src/api/*/*/examples.ts, by nine callers with their role in the group.
# + allowed   ? 401, who are you   - 403, not you   ~ 404, hidden   ! anything else; to the right a public group and project, where that differs.
# Written by \`npm run matrix\`; a change here is a change of rights.
`;

function lineOf({ what: { endpoint }, ...row }: Row): string {
  const differs = cells(row.private) !== cells(row.public);
  const start = `${endpoint.method.padEnd(6)} ${endpoint.name.padEnd(30)} ${cells(row.private)}`;
  return differs ? `${start}   ${cells(row.public)}` : start;
}

function table(): string {
  const who = CALLERS.map((name) => name.slice(0, 4).padEnd(4)).join(' ');
  const folders = [...new Set(all.map(({ endpoint }) => endpoint.folder))];
  const blocks = folders.map((folder) => {
    const title = `\n# ${folder}/endpoints.ts\n`;
    if (isSelected({ folder }))
      return (
        title +
        rows
          .filter(({ what }) => what.endpoint.folder === folder)
          .map(lineOf)
          .join('\n')
      );
    return title + (readFileSync(file, 'utf8').split(title)[1] ?? '').split('\n\n')[0]!.trimEnd();
  });
  return `${heading}${' '.repeat(38)}${who}   ${who}\n${blocks.join('\n')}\n`;
}

test('each caller gets the status of matrix.txt', () => {
  if (rows.length === all.length || process.env.HEARTH_WRITE_GOLDEN === '1') return golden(file, table());
  const lines = new Set(readFileSync(file, 'utf8').split('\n'));
  assert.deepEqual(
    rows.map(lineOf).filter((line) => !lines.has(line)),
    [],
    'if the change is intended, run `npm run matrix` to update it',
  );
});

test('the OpenAPI document declares the status and media type of every response', () => {
  assert.deepEqual([...undocumented].sort(), []);
});

test('every link to the server in a response leads to a page or an endpoint', (context) => {
  assert.deepEqual(links.listDead(), []);
  for (const line of links.listSuperfluous()) context.diagnostic(`${line} has a page: remove it from WITHOUT_PAGE`);
});

/** Returns the abilities of the caller in the project and the group of the scene, as `project:read_code`. */
async function loadAbilities({ project, group }: Scene, caller: CallerName): Promise<ReadonlySet<string>> {
  const ofProject = await callers[caller].get(`/projects/${project.id}/abilities`);
  const ofGroup = await callers[caller].get(`/groups/${group.id}/abilities`);
  const names = ({ body }: TestResponse) => (body.abilities ?? []) as string[];
  return new Set([
    ...names(ofProject).map((name) => `project:${name}`),
    ...names(ofGroup).map((name) => `group:${name}`),
  ]);
}

/**
 * Returns the ability if the endpoint requires that one alone. `isExact`: the endpoint acts on no single resource of the project or
 * group, whose author could matter too. Returns null if it requires several, or acts on the token, which the example sends itself.
 */
function parseAccessLabel({ endpoint: { access, path } }: Exemplified) {
  const match = /^((?:project|group):\w+)( \(public\)| \(404 before 401\))?$/.exec(access.label);
  if (match === null || path.includes('/self')) return null;
  const isExact = /^\/(?:projects|groups)\/:id(?:\/[^:]*)?$/.test(path);
  return { ability: match[1]!, isOpen: match[2] === ' (public)', isExact };
}

const isDenied = (status: number | undefined) => status === 401 || status === 403 || status === 404;

for (const visibility of ['private', 'public'] as const) {
  test(`the abilities of each caller are those that the endpoints of a ${visibility} project and group require`, async () => {
    const wrong: string[] = [];
    for (const [index, name] of CALLERS.entries()) {
      const abilities = await loadAbilities(scenes[visibility], name);
      for (const { what, ...row } of rows) {
        const required = parseAccessLabel(what);
        if (required === null || (name === 'anonymous' && !required.isOpen)) continue;
        const isAllowed = !isDenied(row[visibility][index]);
        const isHeld = abilities.has(required.ability);
        if (isAllowed !== isHeld && (required.isExact || isAllowed))
          wrong.push(`${name} ${required.ability}: ${what.endpoint.name}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
}

test('anonymous callers have no abilities that only signed-in callers can use', async () => {
  const required = all.flatMap((what) => parseAccessLabel(what) ?? []);
  const usable = new Set(required.filter(({ isOpen }) => isOpen).map(({ ability }) => ability));
  const abilities = await loadAbilities(scenes.public, 'anonymous');
  assert.deepEqual(
    required.map(({ ability }) => ability).filter((ability) => abilities.has(ability) && !usable.has(ability)),
    [],
  );
});

test('matrix.txt has every endpoint, in the order of the registry', () => {
  const told = readFileSync(file, 'utf8').matchAll(/^[A-Z]+ +(\w+) /gm);
  assert.deepEqual(
    Array.from(told, ([, name]) => name),
    [...Map.groupBy(all, ({ endpoint }) => endpoint.folder).values()].flat().map(({ endpoint }) => endpoint.name),
  );
});

/** Reads of objects that no call can create yet (contract/runners.md §4.10). */
const READ_BY_NOBODY = ['listPackagePipelines'];

test('the caller of each example is the first in CALLERS who is allowed', () => {
  const isDone = (status: number, { endpoint }: Exemplified) => status < 400 || status === endpoint.response.status;
  const wrong = rows
    .filter(({ what }) => !READ_BY_NOBODY.includes(what.endpoint.name))
    .filter((row) => row.by !== CALLERS[row.private.findIndex((status) => isDone(status, row.what))]);
  assert.deepEqual(
    wrong.map(({ what, by, ...row }) => `${what.endpoint.name} by ${by}: ${cells(row.private)}`),
    [],
  );
});

/**
 * For Owners and, of all those before them, for Planners (contract/planning.md §0 "Who may"); of wikis for Planners, and from
 * Developers or Maintainers on (contract/operations.md §2.2 "Rights").
 */
const BY_PLANNERS = [
  'deleteIssue',
  'deleteEpic',
  ...['create', 'update', 'delete'].flatMap((verb) => [`${verb}GroupWikiPage`, `${verb}ProjectWikiPage`]),
  'attachToGroupWiki',
  'attachToProjectWiki',
];

test('a higher role in a project or group is never allowed less than a lower one', () => {
  const falls = (statuses: Statuses) =>
    statuses.some((status, index) => index > 0 && (statuses[index - 1] ?? 0) < 400 && status >= 400);
  const wrong = rows
    .filter(({ what }) => /^\/(projects|groups)\/:id/.test(what.endpoint.path))
    .filter(({ what }) => !BY_PLANNERS.includes(what.endpoint.name))
    .filter((row) => falls(row.private) || falls(row.public));
  assert.deepEqual(
    wrong.map(({ what }) => what.endpoint.name),
    [],
  );
});
