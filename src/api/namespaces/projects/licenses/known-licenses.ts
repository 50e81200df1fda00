/** Well-known licences and how their texts are told apart. Pure. */

export interface License {
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly html_url: string;
  readonly source_url: string;
}

interface Known {
  readonly name: string;
  readonly nickname?: string;
  readonly source: string;
  /** Runs of words that stand in it, all of them. */
  readonly says: readonly string[];
  /** One that doesn't. */
  readonly saysNot?: string;
  /** More words are another text, whatever it quotes. */
  readonly mostWords: number;
}

const ISC_GRANT = 'permission to use copy modify and or distribute this software for any purpose with or without fee';
const BSD_GRANT =
  'redistribution and use in source and binary forms with or without modification are permitted provided';

/** By key. */
const KNOWN: Readonly<Record<string, Known>> = {
  mit: {
    name: 'MIT License',
    source: 'https://opensource.org/licenses/MIT',
    says: [
      'permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files',
    ],
    mostWords: 230,
  },
  'apache-2.0': {
    name: 'Apache License 2.0',
    source: 'https://spdx.org/licenses/Apache-2.0.html',
    says: ['apache license version 2 0 january 2004'],
    mostWords: 2_000,
  },
  'agpl-3.0': {
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    source: 'https://spdx.org/licenses/AGPL-3.0.html',
    says: ['gnu affero general public license version 3 19 november 2007'],
    mostWords: 6_500,
  },
  'lgpl-3.0': {
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    source: 'https://spdx.org/licenses/LGPL-3.0.html',
    says: ['gnu lesser general public license version 3 29 june 2007'],
    mostWords: 1_600,
  },
  'lgpl-2.1': {
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    source: 'https://spdx.org/licenses/LGPL-2.1.html',
    says: ['gnu lesser general public license version 2 1 february 1999'],
    mostWords: 5_000,
  },
  'gpl-3.0': {
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    source: 'https://spdx.org/licenses/GPL-3.0.html',
    says: ['gnu general public license version 3 29 june 2007'],
    mostWords: 6_500,
  },
  'gpl-2.0': {
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    source: 'https://spdx.org/licenses/GPL-2.0.html',
    says: ['gnu general public license version 2 june 1991'],
    mostWords: 3_600,
  },
  'mpl-2.0': {
    name: 'Mozilla Public License 2.0',
    source: 'https://www.mozilla.org/media/MPL/2.0/index.txt',
    says: ['mozilla public license version 2 0 1 definitions'],
    mostWords: 3_000,
  },
  'bsd-3-clause': {
    name: 'BSD 3-Clause "New" or "Revised" License',
    source: 'https://opensource.org/licenses/BSD-3-Clause',
    says: [`${BSD_GRANT} that the following conditions are met`, 'neither the name of'],
    saysNot: 'all advertising materials',
    mostWords: 300,
  },
  'bsd-2-clause': {
    name: 'BSD 2-Clause "Simplified" License',
    source: 'https://opensource.org/licenses/BSD-2-Clause',
    says: [`${BSD_GRANT} that the following conditions are met`],
    saysNot: 'neither the name of',
    mostWords: 250,
  },
  isc: {
    name: 'ISC License',
    source: 'https://opensource.org/licenses/isc-license.txt',
    says: [`${ISC_GRANT} is hereby granted provided that the above copyright notice`],
    mostWords: 160,
  },
  '0bsd': {
    name: 'BSD Zero Clause License',
    source: 'https://opensource.org/licenses/0BSD',
    says: [`${ISC_GRANT} is hereby granted the software is provided`],
    mostWords: 150,
  },
  unlicense: {
    name: 'The Unlicense',
    source: 'https://unlicense.org/UNLICENSE',
    says: ['this is free and unencumbered software released into the public domain'],
    mostWords: 260,
  },
  'cc0-1.0': {
    name: 'Creative Commons Zero v1.0 Universal',
    source: 'https://creativecommons.org/publicdomain/zero/1.0/',
    says: ['cc0 1 0 universal'],
    mostWords: 1_200,
  },
  'bsl-1.0': {
    name: 'Boost Software License 1.0',
    source: 'https://www.boost.org/LICENSE_1_0.txt',
    says: ['boost software license version 1 0 august 17th 2003'],
    mostWords: 280,
  },
};

/** The file that says under which terms the contents stand: its whole name, or with the ending of a text. */
export function chooseLicense(files: readonly string[]): string | undefined {
  return files.find((name) => /^(licen[sc]e|copying)(\.(md|markdown|txt|rst))?$/i.test(name));
}

/** The well-known licence that a text is; null for any other text. */
export function licenseOf(text: string): License | null {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const plain = words.join(' ');
  const found = Object.entries(KNOWN).find(
    ([, { says, saysNot, mostWords }]) =>
      words.length <= mostWords &&
      says.every((run) => plain.includes(run)) &&
      !(saysNot !== undefined && plain.includes(saysNot)),
  );
  if (found === undefined) return null;
  const [key, { name, nickname = null, source }] = found;
  return { key, name, nickname, html_url: `http://choosealicense.com/licenses/${key}/`, source_url: source };
}
