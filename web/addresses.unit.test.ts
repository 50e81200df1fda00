import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADDRESSES, matchAddress, type PageName, toPath } from './addresses.ts';

test('finds the page of an address, with or without a slash at the end', () => {
  assert.deepEqual(matchAddress('/'), { name: 'home', values: {} });
  assert.deepEqual(matchAddress('/explore'), { name: 'explore', values: {} });
  assert.deepEqual(matchAddress('/explore/'), { name: 'explore', values: {} });
});

test('finds no page for other paths', () => {
  for (const path of ['', 'explore', '/explore/x', '/api/v4/projects', '/%', '/-/web/app.js'])
    assert.equal(matchAddress(path), null, path);
});

test('the path of each page leads to it', () => {
  const values = { project: 'group/a project', iid: '7' };
  for (const name of Object.keys(ADDRESSES) as PageName[])
    assert.equal(matchAddress(toPath(name, values))?.name, name, name);
});
