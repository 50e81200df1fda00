import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { listPathParameterNames } from '#http/server/routing/paths.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { CallerName, Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { world } from './support/world.ts';

// A list that ignores a filter returns what nobody asked for. Every filter of every list is sent with a value that no
// element has: the response is an empty list, 400, or 404 if
// the value names an object. contract/parameters.tsv lists the filters that must be declared.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

const NO_ID = 2_000_000_000;
const NO_NAME = 'no-element-has-this-text';

/** Returns a value of the type that no element of a list has; null for a type whose every value may match. */
function valueWithoutMatch(name: string, { type, format, anyOf, items, properties, ...schema }: Schema): unknown {
  if (schema.enum !== undefined) return NO_NAME;
  if (anyOf !== undefined) return valueWithoutMatch(name, anyOf[0]!);
  if (items !== undefined) return [valueWithoutMatch(name, items)];
  const isUpperBound = /(^|_)(before|until)$/.test(name);
  if (format === 'date' || format === 'date-time') return isUpperBound ? '1970-01-01' : '9999-12-31';
  if (type === 'integer' || type === 'number') return isUpperBound ? -NO_ID : NO_ID;
  if (type === 'string') return NO_NAME;
  const fields = Object.entries(properties ?? {}).map(([key, field]) => [key, valueWithoutMatch(key, field)]);
  return fields.length === 0 ? null : Object.fromEntries(fields.slice(0, 1));
}

/** Parameters that do not filter: they sort, page, or choose what each element shows. */
const NO_FILTERS = new Set(['order_by', 'sort', 'page', 'per_page', 'pagination', 'page_token', 'cursor']);

/** Parameters that exclude elements: an unknown value excludes none. */
const EXCLUSIONS = new Set(['skip_users', 'skip_groups', 'not']);

/** Filters that a list ignores for a reason. */
const IGNORED: Readonly<Record<string, string>> = {
  'listCommitMergeRequests state': 'an unknown state means every state (contract/planning.md §3.16)',
  'listUsers two_factor': 'values other than enabled and disabled mean every user',
};

/** Lists with filters that are empty in the scene. Their own tests cover the filters. */
const EMPTY = new Set([
  'getGroupExportStatus',
  'getProjectExportStatus',
  'listDeploymentMergeRequests',
  'listEpicNotes',
  'listErrors',
  'listGroupRunners',
  'listIssueNotes',
  'listMailMessages',
  'listMergeRequestNotes',
  'listPipelineBridges',
  'listPipelineSchedules',
  'listPipelinesOfSchedule',
  'listProjectStarrers',
  'listPublicSnippets',
  'listRunnerJobs',
  'listRunnerManagerJobs',
  'listRunners',
  'listSharedProjects',
  'listSnippetNotes',
  'listStarredProjects',
  'listTodos',
  'listUserProjects',
]);

function filtersOf(endpoint: Endpoint): (readonly [name: string, value: unknown])[] {
  const { name: list, params, keyset } = endpoint;
  const pathNames = listPathParameterNames(endpoint.path);
  return (
    Object.entries(getDeclaredParameters(endpoint))
      .filter(([name]) => !pathNames.includes(name) && !NO_FILTERS.has(name) && !EXCLUSIONS.has(name))
      .filter(([name]) => IGNORED[`${list} ${name}`] === undefined)
      // Positions of keyset pagination are read only if it is requested.
      .filter(([name]) => keyset === undefined || name in params)
      .map(([name, { type }]) => [name, valueWithoutMatch(name, type.schema as Schema)] as const)
      .filter(([, value]) => value !== null)
  );
}

const all = await allExamples(here.server.registry);

/** Creates elements for the lists of the scene's group and project. */
async function fillLists(): Promise<void> {
  for (const { endpoint, builds } of all) {
    if (endpoint.method !== 'POST' || !endpoint.name.startsWith('create')) continue;
    const example = await builds[0](scene);
    await ask(here, endpoint, example, scene.callers[example.by]);
  }
}

await fillLists();
const lists: (readonly [Endpoint, Example])[] = [];
const listExamples = all.filter(
  ({ endpoint: { method, response } }) => method === 'GET' && (response.kind === 'page' || response.kind === 'list'),
);
for (const { endpoint, builds } of ourShare(listExamples)) lists.push([endpoint, await builds[0](scene)]);
for (const [endpoint, example] of lists) {
  const filters = filtersOf(endpoint);
  if (filters.length === 0) continue;
  test(`${endpoint.name} ignores none of its ${filters.length} filters`, async () => {
    const list = (params: object, by: CallerName) =>
      ask(here, endpoint, { ...example, params: { ...example.params, ...params } }, scene.callers[by]);
    // Administrators see everything, but own nothing.
    const seenByAdministrator = await list({}, 'administrator');
    const by = seenByAdministrator.body?.length > 0 ? 'administrator' : example.by;
    const whole = by === 'administrator' ? seenByAdministrator : await list({}, by);
    if (!EMPTY.has(endpoint.name)) assert.ok(whole.body.length > 0, 'the list is empty without filters');
    for (const [name, value] of filters) {
      const { status, body } = await list({ [name]: value }, by);
      const isRejected = status === 400 || status === 404;
      assert.ok(isRejected || (status === 200 && body.length === 0), `${name}=${JSON.stringify(value)}: ${status}`);
    }
  });
}
