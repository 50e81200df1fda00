import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripTags } from './strip-tags.ts';

test('tags go, and what stands between them stays', () => {
  assert.equal(stripTags('<b>Forge</b> & <a href="x">Sons</a>'), 'Forge & Sons');
  assert.equal(stripTags('<!-- none -->Forge<br/><!DOCTYPE html>'), 'Forge');
});

test('what is no tag stays', () => {
  for (const text of ['', 'a < b > c', '1<2', '<3', 'x <- y', 'R&D', 'a<b']) assert.equal(stripTags(text), text);
});

test('a tag that others hide goes too', () => {
  assert.equal(stripTags('<<b>script>alert(1)<</b>/script>'), 'alert(1)');
});
