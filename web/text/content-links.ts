/** Resolves the addresses of links and images in texts of users. */

/** The project and file that contain a text. */
export interface ContentPlace {
  /** Scheme and host of the server. */
  readonly origin: string;
  /** The path of the server below its host. */
  readonly basePath: string;
  /** The full path of the project; null for texts outside of projects, whose relative links have no target. */
  readonly project: string | null;
  /** The branch, tag or commit of relative addresses. */
  readonly ref: string;
  /** The directory of the file that contains the text; empty for the root, and for texts that are in no file. */
  readonly directory: string;
}

interface ContentUrl {
  readonly url: string;
  /** Whether it is on another server. */
  readonly isForeign: boolean;
}

/** Anchors of a text begin with this, so that a heading cannot take the id of an element of the page. */
export const ANCHOR_PREFIX = 'user-content-';

/** The address of an uploaded file in a text. */
const UPLOAD = /^\/uploads\/([0-9a-f]{32})\/([^/?#]+)$/;

/** Returns the resolved address of a link or image; null for schemes other than http, https and mailto. */
export function resolveContentUrl(written: string, kind: 'link' | 'image', place: ContentPlace): ContentUrl | null {
  if (written.startsWith('#')) return { url: `#${ANCHOR_PREFIX}${toAnchor(written.slice(1))}`, isForeign: false };
  const target = toAbsolute(written, kind, place);
  if (target === null || !['http:', 'https:', 'mailto:'].includes(target.protocol)) return null;
  return { url: target.href, isForeign: target.origin !== place.origin };
}

function toAbsolute(written: string, kind: 'link' | 'image', place: ContentPlace): URL | null {
  const { origin, basePath, project, ref, directory } = place;
  const root = `${origin}${basePath}/`;
  if (project === null) return parseUrl(written, root);
  const upload = UPLOAD.exec(written);
  if (upload !== null) {
    const [, secret = '', name = ''] = upload;
    return parseUrl(`${root}api/v4/projects/${encodeURIComponent(project)}/uploads/${secret}/${name}`, root);
  }
  const files = `${origin}${basePath}${toFilePath(kind === 'image' ? 'raw' : 'blob', project, `${ref}/`)}`;
  // A path from the root is one of the repository, except addresses of pages, which contain `/-/`.
  if (/^\/(?![/\\])/.test(written)) return parseUrl(written.slice(1), written.includes('/-/') ? root : files);
  return parseUrl(written, directory === '' ? files : `${files}${encodePath(directory)}/`);
}

/** Returns the address below the base path of a file, `ref/path`: the page that shows it, or its content. */
export function toFilePath(kind: 'blob' | 'raw', project: string, refPath: string): string {
  return `/${encodePath(project)}/-/${kind}/${encodePath(refPath)}`;
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const parseUrl = (text: string, base: string): URL | null => (URL.canParse(text, base) ? new URL(text, base) : null);

/** Returns the anchor of a heading: lower case, words joined with hyphens. */
export function toAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
