import { mayInProject } from '#authorization/abilities.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { readCommit, readObject, readTree } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import { getRepository } from '#repositories/repository.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';

/** A license as the API shows it. */
interface License {
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  /** Null for a license that is not in the table below. */
  readonly html_url: string | null;
  /** Always null, as in GitLab. */
  readonly source_url: null;
}

/** Patterns that identify a license by its text. Texts are compared as lower-case words without punctuation. */
interface LicensePattern {
  readonly name: string;
  readonly nickname?: string;
  /** Phrases that the text must contain. */
  readonly phrases: readonly string[];
  /** A phrase that the text must not contain. */
  readonly excludedPhrase?: string;
  /** A longer text is another document that quotes the license. */
  readonly maxWords: number;
}

/** First words of the ISC license, with which others begin too. */
const ISC_GRANT = 'permission to use copy modify and or distribute this software for any purpose with or without fee';
/** First words of the BSD licenses. */
const BSD_GRANT =
  'redistribution and use in source and binary forms with or without modification are permitted provided';

/** Patterns by license key. */
const LICENSE_PATTERNS: Readonly<Record<string, LicensePattern>> = {
  mit: {
    name: 'MIT License',
    phrases: [
      'permission is hereby granted free of charge to any person obtaining a copy of this software and associated documentation files',
    ],
    maxWords: 230,
  },
  'apache-2.0': {
    name: 'Apache License 2.0',
    phrases: ['apache license version 2 0 january 2004'],
    maxWords: 2_000,
  },
  'agpl-3.0': {
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    phrases: ['gnu affero general public license version 3 19 november 2007'],
    maxWords: 6_500,
  },
  'lgpl-3.0': {
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    phrases: ['gnu lesser general public license version 3 29 june 2007'],
    maxWords: 1_600,
  },
  'lgpl-2.1': {
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    phrases: ['gnu lesser general public license version 2 1 february 1999'],
    maxWords: 5_000,
  },
  'gpl-3.0': {
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    phrases: ['gnu general public license version 3 29 june 2007'],
    maxWords: 6_500,
  },
  'gpl-2.0': {
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    phrases: ['gnu general public license version 2 june 1991'],
    maxWords: 3_600,
  },
  'mpl-2.0': {
    name: 'Mozilla Public License 2.0',
    phrases: ['mozilla public license version 2 0 1 definitions'],
    maxWords: 3_000,
  },
  'bsd-3-clause': {
    name: 'BSD 3-Clause "New" or "Revised" License',
    phrases: [`${BSD_GRANT} that the following conditions are met`, 'neither the name of'],
    excludedPhrase: 'all advertising materials',
    maxWords: 300,
  },
  'bsd-2-clause': {
    name: 'BSD 2-Clause "Simplified" License',
    phrases: [`${BSD_GRANT} that the following conditions are met`],
    excludedPhrase: 'neither the name of',
    maxWords: 250,
  },
  isc: {
    name: 'ISC License',
    phrases: [`${ISC_GRANT} is hereby granted provided that the above copyright notice`],
    maxWords: 160,
  },
  '0bsd': {
    name: 'BSD Zero Clause License',
    phrases: [`${ISC_GRANT} is hereby granted the software is provided`],
    maxWords: 150,
  },
  unlicense: {
    name: 'The Unlicense',
    phrases: ['this is free and unencumbered software released into the public domain'],
    maxWords: 260,
  },
  'cc0-1.0': {
    name: 'Creative Commons Zero v1.0 Universal',
    phrases: ['cc0 1 0 universal'],
    maxWords: 1_200,
  },
  'bsl-1.0': {
    name: 'Boost Software License 1.0',
    phrases: ['boost software license version 1 0 august 17th 2003'],
    maxWords: 280,
  },
};

/** Returns the name of the first license file, or undefined: `LICENSE`, `LICENCE`, `UNLICENSE` or `COPYING`, with any suffix. */
export function findLicenseFile(files: readonly string[]): string | undefined {
  return files.find((name) => /^((un)?licen[sc]e|copying)(\.[^/]+)?$/i.test(name));
}

/** The license of a file whose text matches no pattern. */
const OTHER_LICENSE: License = {
  key: 'other',
  name: 'Other',
  nickname: 'LICENSE',
  html_url: null,
  source_url: null,
};

/** Returns the license with this text, or `OTHER_LICENSE`. */
export function detectLicense(text: string): License {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const normalizedText = words.join(' ');
  const license = Object.entries(LICENSE_PATTERNS).find(
    ([, { phrases, excludedPhrase, maxWords }]) =>
      words.length <= maxWords &&
      phrases.every((phrase) => normalizedText.includes(phrase)) &&
      !(excludedPhrase !== undefined && normalizedText.includes(excludedPhrase)),
  );
  if (license === undefined) return OTHER_LICENSE;
  const [key, { name, nickname = null }] = license;
  return { key, name, nickname, html_url: `http://choosealicense.com/licenses/${key}/`, source_url: null };
}

/** The license file of a repository. */
export interface LicenseFile {
  readonly name: string;
  readonly license: License;
}

/** Maximum size of a license file, in bytes. */
const MAX_LICENSE_BYTES = 128 * 1024;

/** Cache of license files by repository and tree id. The content of a tree never changes. */
const licenseCache = definePerGit(() => createBoundedCache<{ readonly file: LicenseFile | null }>(5_000));

/**
 * Loads the license files by project id; an empty map unless they were requested. The value is null for projects without a license
 * file and for those whose code the caller may not read.
 */
export async function loadLicenses(
  projects: readonly Project[],
  { git, caller, params }: SerializationContext,
): Promise<ReadonlyMap<number, LicenseFile | null>> {
  if (params.license !== true) return new Map();
  const files = projects.map(async (project) => {
    const mayRead = mayInProject(caller, 'read_code', project);
    return [project.id, mayRead ? await loadLicense(git, project) : null] as const;
  });
  return new Map(await Promise.all(files));
}

/** Loads the license of a project from the root of its default branch. */
async function loadLicense(git: Git, project: Project): Promise<LicenseFile | null> {
  const repository = getRepository(git, project);
  const branchHead = await findBranchHead(repository, project.default_branch);
  const commit = branchHead === null ? null : await readCommit(git, repository, branchHead);
  if (commit === null) return null;
  const key = `${repository.directory} ${commit.treeId}`;
  const cached = licenseCache(git).get(key);
  if (cached) return cached.file;
  const file = await readLicenseFile(git, project, commit.treeId);
  licenseCache(git).set(key, { file });
  return file;
}

async function readLicenseFile(git: Git, project: Project, treeId: string): Promise<LicenseFile | null> {
  const repository = getRepository(git, project);
  const blobs = (await readTree(git, repository, treeId))?.entries.filter(({ type }) => type === 'blob') ?? [];
  const name = findLicenseFile(blobs.map((entry) => entry.name));
  const entry = blobs.find((blob) => blob.name === name);
  if (name === undefined || entry === undefined) return null;
  const content = (await readObject(git, repository, entry.id, MAX_LICENSE_BYTES))?.content ?? null;
  return { name, license: content === null ? OTHER_LICENSE : detectLicense(content.toString('utf8')) };
}
