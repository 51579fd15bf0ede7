/** A path or the target of a link as the file system has it, one character a byte: names need not be UTF-8. */
export type Bytes = string

export const bytesOf = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1')
export const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** True where nothing is lost on the way through a text. */
export const isText = (bytes: Bytes): boolean => bytesOf(textOf(bytes)) === bytes

/** The path of something in a folder, for the file system. */
export const pathIn = (folder: string, path: Bytes): Buffer => (path === '' ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]))

/** As git reads a path that may contain anything, in a list with a path a line. */
export const quoted = (path: Buffer): string =>
  `"${[...path].map((byte) => (byte > 31 && byte < 127 && byte !== 34 && byte !== 92 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)).join('')}"`

/** The folder that something lies in; empty at the top. */
export const parentOf = (path: Bytes): Bytes => path.slice(0, Math.max(0, path.lastIndexOf('/')))
