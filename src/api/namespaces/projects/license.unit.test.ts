import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { detectLicense, findLicenseFile } from './license.ts';

const MIT = await readFile(new URL('../../../../LICENSE', import.meta.url), 'utf8');

test('recognizes well-known licenses regardless of line breaks', () => {
  const found = detectLicense(MIT.replaceAll('\n', '\r\n   '));
  assert.deepEqual(found, {
    key: 'mit',
    name: 'MIT License',
    nickname: null,
    html_url: 'http://choosealicense.com/licenses/mit/',
    source_url: null,
  });
});

test('distinguishes similar licenses', () => {
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
  for (const [text, key] of rows) assert.equal(detectLicense(text as string)?.key, key);
});

test('does not recognize other texts, even if they quote a license', () => {
  const other = { key: 'other', name: 'Other', nickname: 'LICENSE', html_url: null, source_url: null };
  for (const text of ['All rights reserved.', '', `${MIT} But ${'not that '.repeat(100)}`])
    assert.deepEqual(detectLicense(text), other);
});

test('recognizes names of license files', () => {
  assert.equal(findLicenseFile(['README.md', 'copying']), 'copying');
  assert.equal(findLicenseFile(['LICENCE.txt', 'src']), 'LICENCE.txt');
  assert.equal(findLicenseFile(['LICENSES', 'LICENSE-old', 'my-license']), undefined);
  assert.equal(findLicenseFile(['UNLICENSE']), 'UNLICENSE');
  assert.equal(findLicenseFile(['LICENSE.foo']), 'LICENSE.foo');
});
