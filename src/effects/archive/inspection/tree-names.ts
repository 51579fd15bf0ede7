import { type Bytes, textOf } from '../../files/entries.ts'

/** False for names that git reserves on any file system and therefore refuses in a tree. */
export const fitsTree = (path: Bytes): boolean =>
  textOf(path)
    .split(/[/\\]/)
    .every((name) => !/^(\.git|git~1)$/i.test(plain(name)))

export const isModulesFile = (path: Bytes): boolean =>
  /^(\.gitmodules|gitmod~\d|gi7eba~\d|gi7d29~\d|\.gitattributes|\.gitignore|\.mailmap)$/i.test(
    plain(textOf(path).split('/').at(-1)!),
  )

/** A name as HFS+ and NTFS read it. */
const plain = (name: string): string =>
  name
    .replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
    .replace(/:.*$/s, '')
    .replace(/[ .]+$/, '')
