import assert from 'node:assert/strict';
import test from 'node:test';
import { readAsOtherType } from './read-yaml.ts';

for (const [text, reading] of [
  ['0755', '493'],
  ['12:30', '45000'],
  ['1:30:00', '5400'],
  ['1.10', '1.1'],
  ['yes', 'true'],
  ['Off', 'false'],
  ['1_000', '1000'],
  ['0x1F', '31'],
  ['-010', '-8'],
  ['10', '10'],
  ['~', 'null'],
  ['2026-01-02', 'a date'],
  ['text', null],
  ['1.2.3', null],
  ['089', null],
  ['y', null],
  ['1e3', null],
] as const) {
  test(`YAML 1.1 reads ${text} as ${reading}`, () => assert.equal(readAsOtherType(text), reading));
}
