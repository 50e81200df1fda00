import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripTags } from './parameters.ts';

test('removes tags and keeps the text between them', () => {
  assert.equal(stripTags('<b>Forge</b> & <a href="x">Sons</a>'), 'Forge & Sons');
  assert.equal(stripTags('<!-- none -->Forge<br/><!DOCTYPE html>'), 'Forge');
});

test('keeps text that is not a tag', () => {
  for (const text of ['', 'a < b > c', '1<2', '<3', 'x <- y', 'R&D', 'a<b']) assert.equal(stripTags(text), text);
});

test('removes nested tags', () => {
  assert.equal(stripTags('<<b>script>alert(1)<</b>/script>'), 'alert(1)');
});
