/** Content of a Git LFS pointer. */
export interface LfsPointer {
  /** SHA-256 in hex. */
  readonly oid: string;
  readonly size: number;
}

/** Sizes in bytes of valid pointers. Other blobs need not be read. */
export const LFS_POINTER_SIZES = { minBytes: 120, maxBytes: 200 } as const;

/** Parses a blob as a pointer (contract/repository.md §1 "raw"); null if it is none. */
export function parseLfsPointer(content: Buffer): LfsPointer | null {
  if (content.length < LFS_POINTER_SIZES.minBytes || content.length > LFS_POINTER_SIZES.maxBytes) return null;
  const text = content.toString('utf8');
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d{1,15})$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

/** Formats the blob that is committed instead of a file. */
export function formatLfsPointer(pointer: LfsPointer): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${pointer.oid}\nsize ${pointer.size}\n`);
}
