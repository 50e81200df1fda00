import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CSS_COLORS, getTextColor, parseColor } from './color.ts';

test('parses three digits, six digits and CSS names, and preserves six digits', () => {
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
    assert.equal(parseColor(text), color, text);
  }
});

test('knows the 148 CSS color names', () => {
  assert.equal(CSS_COLORS.size, 148);
});

test('returns dark text for light colors and white text for others', () => {
  for (const color of ['#FFFFFF', '#ffff00', '#aaaaaa']) assert.equal(getTextColor(color), '#1F1E24', color);
  for (const color of ['#FF0000', '#1068bf', '#F0AD4E', '#000000']) assert.equal(getTextColor(color), '#FFFFFF', color);
});
