import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { sortSubscriptions } from './event-bus.ts';

const of = (resource: string, event: 'project-destroyed' | 'group-destroyed', before?: readonly string[]) => ({
  resource,
  event,
  ...(before && { before }),
});

const resources = (sorted: readonly { readonly resource: string }[]) => sorted.map(({ resource }) => resource);

test('keeps the given order where no other order is declared', () => {
  const subscriptions = [
    of('notes', 'project-destroyed'),
    of('labels', 'project-destroyed'),
    of('todos', 'group-destroyed'),
  ];
  assert.deepEqual(resources(sortSubscriptions(subscriptions)), ['notes', 'labels', 'todos']);
});

test('moves a subscription before those that it names in "before"', () => {
  const subscriptions = [
    of('notes', 'project-destroyed'),
    of('labels', 'project-destroyed'),
    of('todos', 'project-destroyed', ['notes']),
  ];
  assert.deepEqual(resources(sortSubscriptions(subscriptions)), ['labels', 'todos', 'notes']);
});

test('ignores subscriptions of the named resource to other events', () => {
  const subscriptions = [of('notes', 'group-destroyed'), of('todos', 'project-destroyed', ['notes'])];
  assert.deepEqual(resources(sortSubscriptions(subscriptions)), ['notes', 'todos']);
});

test('throws on a cycle and names its members', () => {
  const subscriptions = [of('notes', 'project-destroyed', ['todos']), of('todos', 'project-destroyed', ['notes'])];
  assert.throws(
    () => sortSubscriptions(subscriptions),
    /form a cycle: notes \(project-destroyed\), todos \(project-destroyed\)/,
  );
});

const subscriptions = Object.entries(resourceModules).flatMap(([resource, module]) =>
  module.subscriptions.map((one) => ({ ...one, resource })),
);

test('every resource that a subscription names in "before" has a subscription to the same event', () => {
  for (const { resource, event, before = [] } of subscriptions) {
    for (const other of before) {
      assert.ok(
        subscriptions.some((one) => one.resource === other && one.event === event),
        `${resource} wants to run before ${other} on ${event}, but ${other} does not subscribe to it`,
      );
    }
  }
});

test('the deletion of a project or group deletes to-dos before the rows that they refer to', () => {
  const order = (event: string) =>
    sortSubscriptions(subscriptions.toReversed())
      .filter((one) => one.event === event && one.resource.startsWith('planning/'))
      .map(({ resource }) => resource);
  for (const event of ['project-destroyed', 'group-destroyed', 'user-deleted']) {
    const [first, ...others] = order(event).filter((resource) =>
      ['todos', 'issues', 'epics', 'merge-requests', 'notes'].includes(resource.slice('planning/'.length)),
    );
    assert.equal(first, 'planning/todos', event);
    assert.ok(others.length > 0, event);
  }
});
