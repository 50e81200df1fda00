import { foldCase } from '#database/name-keys.ts';

/** Names of wiki pages (contract/operations.md §2.2): files whose ending is that of a markup language. */

const FORMATS_BY_ENDING: Readonly<Record<string, string>> = {
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
  /** Path of the file. */
  readonly path: string;
  /** Path without the ending; bytes that are not UTF-8 are U+FFFD. */
  readonly slug: string;
  readonly title: string;
  readonly format: string;
  /** Ending as in the file name. */
  readonly extension: string;
}

/** Returns the page name of a file; null if it is no page. */
export function parsePageName(path: string): PageName | null {
  const at = path.lastIndexOf('.');
  const extension = path.slice(at + 1);
  const format = at < 0 ? undefined : getFormat(extension);
  // Responses and rows contain only valid UTF-8.
  const slug = path.slice(0, at).toWellFormed();
  if (format === undefined || slug === '' || slug.endsWith('/')) return null;
  return { path, slug, title: getPageTitle(slug), format, extension };
}

function getFormat(extension: string): string | undefined {
  const key = extension.toLowerCase();
  return Object.hasOwn(FORMATS_BY_ENDING, key) ? FORMATS_BY_ENDING[key] : undefined;
}

export function getPageTitle(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ');
}

/** Returns the key that identifies a slug: case-insensitive, with spaces as `-`. */
export function slugKey(slug: string): string {
  return foldCase(slug).replaceAll(' ', '-').toWellFormed();
}

/** Paths of files that the API uploads. */
const ATTACHMENT = /^uploads\/[0-9a-f]{32}\/[^/]+$/;

/** Returns whether a file is an attachment. Attachments cause no page events, even with the ending of a page. */
export function isAttachment(path: string): boolean {
  return ATTACHMENT.test(path);
}
