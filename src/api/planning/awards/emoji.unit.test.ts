import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEmojiName } from './index.ts';

test('finds an emoji by short name and by alias', () => {
  for (const [name, main] of [
    ['thumbsup', 'thumbsup'],
    ['+1', 'thumbsup'],
    ['-1', 'thumbsdown'],
    ['satisfied', 'laughing'],
    ['100', '100'],
    ['1st_place_medal', 'first_place'],
    ['first_place', 'first_place'],
    ['thumbsup_tone1', 'thumbsup_tone1'],
    ['+1_tone1', 'thumbsup_tone1'],
    ['thumbs_up_light_skin_tone', 'thumbsup_tone1'],
    ['thumbs_up_medium_light_skin_tone', 'thumbsup_tone2'],
    ['thumbsup_tone6', null],
    ['thumbsup_tone*', null],
    ['artist_dark_skin_tone', 'artist_dark_skin_tone'],
    [
      'women_holding_hands_dark_skin_tone_medium_light_skin_tone',
      'women_holding_hands_dark_skin_tone_medium_light_skin_tone',
    ],
    ['women_holding_hands_dark_skin_tone_dark_skin_tone', null],
    ['flag_es', 'flag_es'],
    ['es', 'flag_es'],
    ['slight_smile', 'slight_smile'],
    ['slightly_smiling_face', 'slight_smile'],
    ['light_rail', 'light_rail'],
    ['honeybee', 'bee'],
    ['zzz', 'zzz'],
    ['', null],
    ['=', null],
    ['Heart', null],
    ['constructor', null],
  ] as const) {
    assert.equal(findEmojiName(name), main, name);
  }
});
