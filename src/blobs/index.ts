export { cleanUpBlobs } from './cleanup.ts';
export { linkBlob } from './links.ts';
export {
  type BlobFailure,
  type BlobLimits,
  type BlobStore,
  createBlobStore,
  createDraftPath,
  deleteBlob,
  hasBlob,
  openBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';
