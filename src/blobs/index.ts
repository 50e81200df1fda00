export { sweepBlobs } from './cleanup.ts';
export { linkBlob } from './links.ts';
export {
  type BlobLimits,
  type BlobRefused,
  type BlobStore,
  createBlobStore,
  draftPath,
  hasBlob,
  openBlob,
  removeBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';
