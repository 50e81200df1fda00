export { linkBlob } from './links.ts';
export {
  type BlobLimits,
  type BlobRefused,
  type BlobStore,
  type ByteRange,
  claimBlob,
  createBlobStore,
  draftPath,
  hasBlob,
  type OpenBlob,
  openBlob,
  removeBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';
export { sweepBlobs } from './sweep.ts';
