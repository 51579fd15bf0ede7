/** A path or a link's target as the file system stores it, one character per byte, because names need not be UTF-8. */
export type Bytes = string

export const bytesOf = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1')
export const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** True if converting to text and back loses nothing. */
export const isText = (bytes: Bytes): boolean => bytesOf(textOf(bytes)) === bytes

/** The path of an entry in a folder, as bytes for the file system. */
export const pathIn = (folder: string, path: Bytes): Buffer =>
  path === '' ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')])

/** Quotes a path as git expects it in a list of one path per line. */
export const quoted = (path: Buffer): string =>
  `"${[...path].map((byte) => (byte > 31 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`

/** The parent folder of a path, empty at the top. */
export const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')))
