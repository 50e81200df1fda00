import { Type } from 'typebox';
import type { ReadObject } from '../../../git/objects.ts';
import { entity } from '../../../http/endpoint/entity.ts';

/** contract/repository.md §4 */
export const Blob = entity('Blob', {
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
  sha: Type.String(),
}).from(({ id, size, content }: ReadObject) => ({
  size,
  encoding: 'base64',
  content: content?.toString('base64') ?? '',
  sha: id,
}));
