export { cleanUpBlobs } from './cleanup.ts';
export { registerBlob } from './links.ts';
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
