import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { chooseLicense, licenseOf } from './known-licenses.ts';

const MIT = await readFile(new URL('../../../../../LICENSE', import.meta.url), 'utf8');

test('the text of a well-known licence is that licence, whatever its line breaks', () => {
  const found = licenseOf(MIT.replaceAll('\n', '\r\n   '));
  assert.deepEqual(found, {
    key: 'mit',
    name: 'MIT License',
    nickname: null,
    html_url: 'http://choosealicense.com/licenses/mit/',
    source_url: 'https://opensource.org/licenses/MIT',
  });
});

test('licences that say nearly the same are told apart', () => {
  const bsd =
    'Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met: ...';
  const isc = 'Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee';
  const rows = [
    [`Copyright (c) 2026, X\n${bsd}`, 'bsd-2-clause'],
    [`${bsd} Neither the name of the copyright holder ...`, 'bsd-3-clause'],
    [`${isc} is hereby granted, provided that the above copyright notice ...`, 'isc'],
    [`${isc} is hereby granted. THE SOFTWARE IS PROVIDED "AS IS" ...`, '0bsd'],
    ['GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007 ... GNU Affero General Public License', 'gpl-3.0'],
    ['GNU AFFERO GENERAL PUBLIC LICENSE\n Version 3, 19 November 2007', 'agpl-3.0'],
    ['Apache License\nVersion 2.0, January 2004\nhttp://www.apache.org/licenses/', 'apache-2.0'],
  ];
  for (const [text, key] of rows) assert.equal(licenseOf(text as string)?.key, key);
});

test('a text of one’s own is no well-known licence, even one that quotes another', () => {
  assert.equal(licenseOf('All rights reserved.'), null);
  assert.equal(licenseOf(''), null);
  assert.equal(licenseOf(`${MIT} But ${'not that '.repeat(100)}`), null);
});

test('the file of the licence has a name that is one', () => {
  assert.equal(chooseLicense(['README.md', 'copying']), 'copying');
  assert.equal(chooseLicense(['LICENCE.txt', 'src']), 'LICENCE.txt');
  assert.equal(chooseLicense(['LICENSES', 'license.rb', 'LICENSE-old']), undefined);
});
