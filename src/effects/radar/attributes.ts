import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface AttributeFile {
  readonly oid: string
  readonly path: string
}

export const attributeFiles = (listed: string): readonly AttributeFile[] =>
  listed.split('\0').flatMap((entry) => {
    const [about = '', path = ''] = entry.split('\t')
    const [mode = '', , oid = ''] = about.split(' ')
    // A link, or a path with `..`, could lead anywhere.
    return /(^|\/)\.gitattributes$/.test(path) && !path.split('/').includes('..') && mode.startsWith('100')
      ? [{ oid, path }]
      : []
  })

/** Replaces the content of a folder by the attribute files of a tree. */
export const writeAttributes = async (
  folder: string,
  files: readonly AttributeFile[],
  blob: (oid: string) => Promise<string>,
): Promise<void> => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const { oid, path } of files) {
    const content = await blob(oid)
    const file = Buffer.from(join(folder, path), 'latin1')
    mkdirSync(Buffer.from(dirname(file.toString('latin1')), 'latin1'), { recursive: true })
    writeFileSync(file, Buffer.from(content, 'latin1'))
  }
}
