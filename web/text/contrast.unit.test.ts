import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getContrast, toReadableColor } from './contrast.ts';

test('computes contrast ratios', () => {
  assert.equal(getContrast('#000000', '#FFFFFF'), 21);
  assert.equal(getContrast('#777777', '#FFFFFF').toFixed(2), '4.48');
  assert.equal(getContrast('#abcdef', '#abcdef'), 1);
});

test('keeps a colour that can be read, else takes black or white', () => {
  const cases: [ground: string, preferred: string, color: string][] = [
    ['#1F1E24', '#FFFFFF', '#FFFFFF'],
    ['#00FF00', '#FFFFFF', '#000000'],
    ['#8b0000', '#1F1E24', '#FFFFFF'],
    ['#ffffff', '#1F1E24', '#1F1E24'],
  ];
  for (const [ground, preferred, color] of cases) assert.equal(toReadableColor(ground, preferred), color, ground);
});

test('finds a readable colour for every ground', () => {
  for (let value = 0; value < 0x1000000; value += 0x1357) {
    const ground = `#${value.toString(16).padStart(6, '0')}`;
    assert.ok(getContrast(ground, toReadableColor(ground, '#FFFFFF')) >= 4.5, ground);
  }
});
