import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';

interface BlobRow {
  readonly id: string;
  readonly size: number;
  /** Null if the blob is larger than one JSON text can hold. */
  readonly content: Buffer | null;
}

/** contract/repository.md §4 */
export const Blob = entity('Blob', {
  size: Type.Integer(),
  encoding: Type.Literal('base64'),
  content: Type.String(),
  sha: Type.String(),
}).from(({ id, size, content }: BlobRow) => ({
  size,
  encoding: 'base64',
  content: content?.toString('base64') ?? '',
  sha: id,
}));
