/** What a Git LFS pointer says of the file that it stands for. */
export interface LfsPointer {
  /** SHA-256 in hex. */
  readonly oid: string;
  readonly size: number;
}

/** A blob of another size is no pointer and need not be read. */
export const pointerSizes = { least: 120, most: 200 } as const;

/** Reads a blob as a pointer (contract: repository.md section 1, "raw"); null when it is none. */
export function parsePointer(content: Buffer): LfsPointer | null {
  if (content.length < pointerSizes.least || content.length > pointerSizes.most) return null;
  const text = content.toString('utf8');
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n')) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d{1,15})$/m.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

/** The blob that is committed in place of a file. */
export function formatPointer(pointer: LfsPointer): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${pointer.oid}\nsize ${pointer.size}\n`);
}
