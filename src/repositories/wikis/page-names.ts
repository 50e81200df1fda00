import { foldCase } from '#database/name-keys.ts';

/** What pages of a wiki are called (contract/operations.md §2.2): the files of its repository whose ending tells a markup. */

const ENDINGS: Readonly<Record<string, string>> = {
  md: 'markdown',
  mkd: 'markdown',
  mkdn: 'markdown',
  mdown: 'markdown',
  markdown: 'markdown',
  rdoc: 'rdoc',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
  org: 'org',
  textile: 'textile',
  creole: 'creole',
  rst: 'rst',
  rest: 'rst',
  wiki: 'mediawiki',
  mediawiki: 'mediawiki',
  pod: 'pod',
  txt: 'plaintext',
};

export interface PageName {
  /** Of its file. */
  readonly path: string;
  /** The path without the ending; where it is no UTF-8 with marks in place of that. */
  readonly slug: string;
  readonly title: string;
  readonly format: string;
  /** As the file writes it. */
  readonly ending: string;
}

/** What the file at a path is called as a page; null: it is none. */
export function pageAt(path: string): PageName | null {
  const at = path.lastIndexOf('.');
  const ending = path.slice(at + 1);
  const format = at < 0 ? undefined : formatOf(ending);
  // As it can be said: what is no UTF-8 in a path is so in no answer and in no row.
  const slug = path.slice(0, at).toWellFormed();
  if (format === undefined || slug === '' || slug.endsWith('/')) return null;
  return { path, slug, title: titleOf(slug), format, ending };
}

function formatOf(ending: string): string | undefined {
  const key = ending.toLowerCase();
  return Object.hasOwn(ENDINGS, key) ? ENDINGS[key] : undefined;
}

export function titleOf(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ');
}

/** The form of a slug by which pages are told apart: case does not count, and a blank is a `-`. */
export function slugKey(slug: string): string {
  return foldCase(slug).replaceAll(' ', '-').toWellFormed();
}

/** What the API puts there itself. */
const ATTACHMENT = /^uploads\/[0-9a-f]{32}\/[^/]+$/;

/** Is this a file that was attached? It may be a page by its ending, but nobody is told of it as one. */
export function isAttachment(path: string): boolean {
  return ATTACHMENT.test(path);
}
