/** Reading single files out of zip archives: no family with endpoints of its own. */
export { type ReadRange, type UnpackedFile, unpackFile } from './unpack.ts';
