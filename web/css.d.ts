/** The bundler writes imported style sheets into one file. */
declare module '*.css';
