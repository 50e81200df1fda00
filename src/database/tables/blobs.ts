/** Blobs. Other tables refer to them by a foreign key; the content is in a file whose name is the SHA-256. */
interface BlobsRow {
  sha256: string;
  size: number;
  /** Time of the last reference by a row; an unreferenced blob is deleted an hour later at the earliest. */
  linked_at: string;
}

export interface BlobsTables {
  blobs: BlobsRow;
}
