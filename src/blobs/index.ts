export { cleanUpBlobs } from './cleanup.ts';
export {
  type BlobFailure,
  type BlobLimits,
  type BlobStore,
  createBlobStore,
  createDraftPath,
  deleteBlob,
  hasBlob,
  openBlob,
  registerBlob,
  type StoredBlob,
  storeBlob,
} from './store.ts';
