/** Contents that rows refer to by a foreign key; the bytes are in a file of that name. */
interface BlobsRow {
  sha256: string;
  size: number;
  /** When it was last linked; it is swept an hour later at the earliest. */
  linked_at: string;
}

export interface BlobsTables {
  blobs: BlobsRow;
}
