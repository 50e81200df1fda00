import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALLERS } from '#test/examples/example.ts';
import type { Caller } from '#test/support/caller.ts';
import { listAddresses, renderPage } from '#test/support/web-pages.ts';
import { expectSuccess, world } from '#test/support/world.ts';
import { createPageValues } from './page-values.ts';

// The calls of each page are rejected exactly where test/matrix.txt says, for its nine callers in a private project.

const ROLES = ['guest', 'planner', 'reporter', 'developer', 'maintainer'] as const;
const scene = await world({ project: { visibility: 'private', with: ROLES } });
const { owner, server } = scene;
const stranger = await scene.user();
const CALLERS_HERE: Readonly<Record<(typeof CALLERS)[number], Caller | null>> = {
  ...scene,
  anonymous: null,
  stranger,
  administrator: scene.root,
};

/** Endpoint name -> the status in a private project, by caller. */
const MATRIX = new Map(
  [
    ...readFileSync(join(import.meta.dirname, '../matrix.txt'), 'utf8').matchAll(
      /^[A-Z]+ +(\w+) +((?:\S\d{3} ?){9})/gm,
    ),
  ].map(
    ([, name = '', cells = '']) =>
      [
        name,
        cells
          .trim()
          .split(' ')
          .map((cell) => Number(cell.slice(1))),
      ] as const,
  ),
);

const post = async (path: string, body: object) => (await expectSuccess(owner.post(path, { ...body }))).body;
const path = scene.project.path_with_namespace;
const addresses = listAddresses(await createPageValues(post, path)).filter(([, address]) =>
  address.startsWith(`/${path}`),
);

test('each page is refused what the matrix refuses', async () => {
  for (const [name, address] of addresses) {
    for (const [column, callerName] of CALLERS.entries()) {
      await renderPage(scene, CALLERS_HERE[callerName], address, ({ url, status }) => {
        const endpoint = server.registry.find('GET', url.split('?', 1)[0]!)!.endpoint.name;
        const expected = MATRIX.get(endpoint)![column]!;
        if (status >= 400 || expected >= 400) assert.equal(status, expected, `${name}, ${callerName}: ${endpoint}`);
      });
    }
  }
});
