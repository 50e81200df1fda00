import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { objectSchema } from '#http/endpoint/responses.ts';
import type { RenderedPage } from './page-content.ts';

const text = Type.String();

const basicFields = {
  format: text,
  slug: text,
  title: text,
  wiki_page_meta_id: Type.Integer({ description: 'An id of the page that renames do not change.' }),
};

const contentFields = { content: text, encoding: text, front_matter: Type.Record(Type.String(), Type.Unknown()) };

/** The pages of a list, with their content on request. */
export const ListedPages = Type.Array(
  objectSchema('ListedWikiPage', { ...basicFields, ...Type.Partial(Type.Object(contentFields)).properties }),
);

export const WikiPage = entity('WikiPage', { ...basicFields, ...contentFields }).from((page: RenderedPage) =>
  serializePage(page),
);

/** Returns the fields of a page in lists. */
export function serializeListedPage({ id, page }: Pick<RenderedPage, 'id' | 'page'>) {
  const { format, slug, title } = page;
  return { format, slug, title, wiki_page_meta_id: id };
}

export function serializePage(page: RenderedPage) {
  const { content, front_matter } = page;
  return { ...serializeListedPage(page), content, encoding: 'UTF-8', front_matter };
}

export interface AttachmentInfo {
  readonly file_name: string;
  readonly file_path: string;
  readonly branch: string;
}

export const WikiAttachment = entity('WikiAttachment', {
  file_name: text,
  file_path: text,
  branch: text,
  link: Type.Object({ url: text, markdown: text }, { additionalProperties: false }),
})
  .columns('file_name', 'file_path', 'branch')
  .from(({ file_name, file_path }: AttachmentInfo) => ({
    link: { url: file_path, markdown: toMarkdownLink(file_name, file_path) },
  }));

/** Extensions of images, videos and audio files, which pages embed instead of linking to them. */
const EMBEDDED_EXTENSIONS = new Set(
  'png jpg jpeg gif bmp tiff ico webp mp4 m4v mov webm ogv mp3 oga ogg spx wav'.split(' '),
);

/** Returns a Markdown link, or an embedding for images, videos and audio files. */
function toMarkdownLink(name: string, path: string): string {
  const dotIndex = name.lastIndexOf('.');
  if (dotIndex < 0 || !EMBEDDED_EXTENSIONS.has(name.slice(dotIndex + 1).toLowerCase())) return `[${name}](${path})`;
  return `![${name.slice(0, dotIndex)}](${path})`;
}
