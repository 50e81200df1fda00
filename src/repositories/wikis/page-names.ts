import { foldCase } from '#database/name-keys.ts';

// Names of wiki pages (contract/operations.md §2.2): files with the extension of a markup language.

const FORMATS_BY_EXTENSION: Readonly<Record<string, string>> = {
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
  /** Path without the extension; invalid UTF-8 is replaced by U+FFFD. */
  readonly slug: string;
  readonly title: string;
  readonly format: string;
  /** File extension in its original case. */
  readonly extension: string;
}

/** Returns the page name of a file, or null if the file is not a page. */
export function parsePageName(path: string): PageName | null {
  const dotIndex = path.lastIndexOf('.');
  const extension = path.slice(dotIndex + 1);
  const format = dotIndex < 0 ? undefined : getFormat(extension);
  // Responses and rows contain only valid UTF-8.
  const slug = path.slice(0, dotIndex).toWellFormed();
  if (format === undefined || slug === '' || slug.endsWith('/')) return null;
  return { path, slug, title: getPageTitle(slug), format, extension };
}

function getFormat(extension: string): string | undefined {
  const key = extension.toLowerCase();
  return Object.hasOwn(FORMATS_BY_EXTENSION, key) ? FORMATS_BY_EXTENSION[key] : undefined;
}

/** Returns the title of a page: the last part of its slug, with spaces for `-`. */
function getPageTitle(slug: string): string {
  return slug.slice(slug.lastIndexOf('/') + 1).replaceAll('-', ' ');
}

/** Returns the key that identifies a slug: case-insensitive, with spaces as `-`. */
export function toSlugKey(slug: string): string {
  return foldCase(slug).replaceAll(' ', '-').toWellFormed();
}

/** Paths of files that the API uploads. */
const ATTACHMENT = /^uploads\/[0-9a-f]{32}\/[^/]+$/;

/** Returns whether a file is an attachment. Attachments cause no page events, even with the extension of a page. */
export function isAttachment(path: string): boolean {
  return ATTACHMENT.test(path);
}
