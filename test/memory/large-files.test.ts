import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Refusal } from '../../src/domain/rules/refusal.ts'
import { hashOfFile, hashOfText, writeLargeFile } from '../../src/memory/large-files.ts'
import { writeMemoryFile } from '../../src/memory/files.ts'
import { refusal, temporaryFolder } from '../support/core.ts'
import { needs } from '../support/needs.ts'

/** The number of characters in one piece. */
const PIECE = 1 << 19

const hashOf = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The refusal of `writeMemoryFile` for the same path. */
const refusedOnce = async (path: string): Promise<readonly string[]> =>
  wordsOf(await refusal((async () => writeMemoryFile(path, 'x'))()))

const wordsOf = ({ code, message }: Refusal): readonly string[] => [code, message]

const canMount = spawnSync('unshare', ['-Urm', 'true']).status === 0

describe('a large file', () => {
  it.each([
    ['empty', ''],
    ['small', 'one\n'],
    ['as long as a piece', 'x'.repeat(PIECE)],
    ['of some pieces', 'äöü €\n'.repeat(PIECE)],
    ['of pairs, one of which crosses the end of each piece', `x${'😀'.repeat(2 * PIECE)}`],
    ['with a pair across the last end', `${'x'.repeat(PIECE - 1)}😀`],
    ['with half a pair at the end of a piece', `${'x'.repeat(PIECE - 1)}\ud83d${'y'.repeat(9)}`],
    ['with half a pair before a whole one', `${'x'.repeat(PIECE - 1)}\ud83d😀y`],
    ['with half a pair at its own end', `${'x'.repeat(2 * PIECE - 1)}\ud83d`],
  ])('%s is written and hashed byte for byte', async (_, text) => {
    const path = join(temporaryFolder(), 'a.md')
    const bytes = Buffer.from(text)
    await writeLargeFile(path, text)
    expect(Buffer.compare(readFileSync(path), bytes)).toBe(0)
    expect([await hashOfText(text), await hashOfFile(path)]).toEqual([hashOf(bytes), hashOf(bytes)])
  })

  it('replaces the previous file, and leaves no temporary file', async () => {
    const folder = temporaryFolder()
    await writeLargeFile(join(folder, 'a.md'), 'x'.repeat(3 * PIECE))
    await writeLargeFile(join(folder, 'a.md'), 'two')
    expect([readFileSync(join(folder, 'a.md'), 'utf8'), readdirSync(folder)]).toEqual(['two', ['a.md']])
  })

  it('is not written over a concurrent change', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'a.md')
    await writeLargeFile(path, 'old')
    expect(await writeLargeFile(path, 'new', () => false)).toBe(false)
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['a.md']])
  })

  it('is the complete old file until it is the complete new file', async () => {
    const path = join(temporaryFolder(), 'a.md')
    await writeLargeFile(path, 'old')
    const inode = statSync(path).ino
    const seen = new Set<string>()
    let done = false
    const writing = writeLargeFile(path, 'n'.repeat(8 * PIECE)).finally(() => (done = true))
    while (!done) {
      seen.add(`${statSync(path).ino === inode} ${statSync(path).size}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await writing
    seen.add(`${statSync(path).ino === inode} ${statSync(path).size}`)
    expect([...seen]).toEqual(['true 3', `false ${8 * PIECE}`])
  })

  it('has no hash if it does not exist', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const path of ['a.md', 'b/a.md', 'file/a.md']) expect(await hashOfFile(join(folder, path))).toBeUndefined()
  })

  it('cannot be a link, a pipe or a folder: its target is neither read nor written, and the refusal is the same as for a small file', async () => {
    const folder = temporaryFolder()
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('secret'), 'mine')
    symlinkSync('secret', at('link.md'))
    symlinkSync('nowhere', at('loose.md'))
    execFileSync('mkfifo', [at('pipe.md')])
    mkdirSync(at('folder.md'))
    const before = readdirSync(folder)
    for (const name of ['link.md', 'loose.md', 'pipe.md', 'folder.md']) {
      const refused = wordsOf(await refusal(writeLargeFile(at(name), 'x')))
      expect(refused).toEqual([
        'not_writable',
        `${at(name)} is not a regular file, so nothing is written there; remove it.`,
      ])
      expect(refused).toEqual(await refusedOnce(at(name)))
    }
    for (const name of ['link.md', 'loose.md'])
      expect((await refusal(hashOfFile(at(name)))).message).toBe(
        `${at(name)} is a symbolic link, which is not followed; replace it with the file.`,
      )
    for (const name of ['pipe.md', 'folder.md'])
      expect((await refusal(hashOfFile(at(name)))).message).toBe(`${at(name)} is not a regular file; remove it.`)
    expect([readdirSync(folder), readFileSync(at('secret'), 'utf8'), existsSync(at('nowhere'))]).toEqual([
      before,
      'mine',
      false,
    ])
  })

  it('is refused without its folder', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), 'mine')
    const refused = async (name: string): Promise<readonly string[]> =>
      wordsOf(await refusal(writeLargeFile(join(folder, name), 'x')))
    expect(await refused('gone/a.md')).toEqual(['not_writable', `${folder}/gone/a.md cannot be written (ENOENT).`])
    expect(await refused('file/a.md')).toEqual(['file_unreadable', `${folder}/file/a.md cannot be read (ENOTDIR).`])
    for (const name of ['gone/a.md', 'file/a.md'])
      expect(await refused(name)).toEqual(await refusedOnce(join(folder, name)))
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('leaves no draft if its name was taken by a folder during the write', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'a.md')
    const writing = refusal(writeLargeFile(path, 'x'.repeat(4 * PIECE)))
    mkdirSync(path)
    expect(await writing).toMatchObject({ code: 'not_writable', message: `${path} cannot be written (EISDIR).` })
    expect(readdirSync(folder)).toEqual(['a.md'])
  })

  it('keeps the old file and leaves no draft if the disk is full or read-only, and is written when there is room', (context) => {
    needs(context, canMount, 'this machine allows no mount in a namespace')
    const folder = temporaryFolder()
    const at = (name: string): string => resolve(import.meta.dirname, '../fixtures', name)
    const said = execFileSync(
      'unshare',
      ['-Urm', 'sh', at('small-disk.sh'), folder, process.execPath, at('large-writer.ts')],
      { encoding: 'utf8' },
    )
    expect(said.trimEnd().split('\n')).toEqual([
      'written',
      `not_writable The disk is full, so ${folder}/a.md was not changed; make room.`,
      'a.md 300000',
      'written',
      'a.md 3000000',
      `not_writable ${folder}/a.md cannot be written (EROFS).`,
      'a.md 3000000',
    ])
  })
})
