/** Blobs, to which rows refer by a foreign key; the content is in a file with this name. */
interface BlobsRow {
  sha256: string;
  size: number;
  /** Time of the last link; the blob is deleted an hour later at the earliest. */
  linked_at: string;
}

export interface BlobsTables {
  blobs: BlobsRow;
}
