/** Reads single files from zip archives. Has no endpoints. */
export { type ReadRange, type UnpackedFile, unpackFile } from './unpack.ts';
