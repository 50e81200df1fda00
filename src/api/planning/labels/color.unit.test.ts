import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColor, textColorOn } from './color.ts';
import { CSS_COLORS } from './css-colors.ts';

test('a color is three digits, six digits or a name of CSS, and six digits are kept', () => {
  for (const [text, color] of [
    ['#FFAABB', '#FFAABB'],
    ['#ffaabb', '#ffaabb'],
    ['#a1F', '#aa11FF'],
    ['red', '#FF0000'],
    ['RebeccaPurple', '#663399'],
    [' #123456 ', '#123456'],
    ['#12345', null],
    ['#1234567', null],
    ['123456', null],
    ['#ggg', null],
    ['reddish', null],
    ['', null],
  ] as const) {
    assert.equal(readColor(text), color, text);
  }
});

test('CSS has 148 names of colors', () => {
  assert.equal(CSS_COLORS.size, 148);
});

test('text is dark on light colors and white on the others', () => {
  for (const color of ['#FFFFFF', '#ffff00', '#aaaaaa']) assert.equal(textColorOn(color), '#1F1E24', color);
  for (const color of ['#FF0000', '#1068bf', '#F0AD4E', '#000000']) assert.equal(textColorOn(color), '#FFFFFF', color);
});
