import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deleteMemoryFile, LARGEST, readMemoryFile, writeMemoryFile } from '../../src/memory/files.ts'
import { ensureMemoryFolder, entryAt, listMemoryFiles } from '../../src/memory/file-system.ts'
import { temporaryFolder } from '../support/core.ts'

const text = (path: string): string => new TextDecoder().decode(readMemoryFile(path)?.bytes)

describe('a memory file', () => {
  it('is written completely, and leaves no temporary file', () => {
    const folder = temporaryFolder()
    writeMemoryFile(join(folder, 'a.md'), 'one')
    writeMemoryFile(join(folder, 'a.md'), 'two')
    expect(text(join(folder, 'a.md'))).toBe('two')
    expect(readdirSync(folder)).toEqual(['a.md'])
  })

  it('reads as undefined if it does not exist', () => {
    const folder = temporaryFolder()
    expect(readMemoryFile(join(folder, 'a.md'))).toBeUndefined()
    expect(readMemoryFile(join(folder, 'b', 'a.md'))).toBeUndefined()
    expect(listMemoryFiles(join(folder, 'b'))).toEqual([])
  })

  it('is read and listed despite the leftovers of a killed writer', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.a.md.0123456789ab.tmp'), 'ha')
    writeMemoryFile(join(folder, 'a.md'), 'whole')
    expect(listMemoryFiles(folder)).toEqual(['a.md'])
  })

  it('cannot be a link: the target is neither read nor written', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secret'), 'mine')
    symlinkSync('secret', join(folder, 'a.md'))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/is a symbolic link, which is not followed/)
    expect(() => writeMemoryFile(join(folder, 'a.md'), 'x')).toThrow(/is not a regular file/)
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('mine')
  })

  it('cannot be a pipe, which would block the reader for ever, or a folder', () => {
    const folder = temporaryFolder()
    execFileSync('mkfifo', [join(folder, 'a.md')])
    mkdirSync(join(folder, 'b.md'))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/is not a regular file/)
    expect(() => readMemoryFile(join(folder, 'b.md'))).toThrow(/is not a regular file/)
    expect(() => writeMemoryFile(join(folder, 'a.md'), 'x')).toThrow(/is not a regular file/)
  })

  it('above 1 MB is refused before it is read', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.md'), 'x'.repeat(LARGEST + 1))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/at most 1 MB/)
    expect(readMemoryFile(join(folder, 'a.md'), Infinity)?.bytes).toHaveLength(LARGEST + 1)
  })
})

describe('a memory folder', () => {
  it('is created inside the repository', () => {
    const root = temporaryFolder()
    expect(ensureMemoryFolder(root, '.serena/memories')).toMatch(/\.serena\/memories$/)
    expect(readdirSync(root)).toEqual(['.serena'])
  })

  it('that leads out of the repository is refused', () => {
    const [root, other] = [temporaryFolder(), temporaryFolder()]
    symlinkSync(other, join(root, 'memories'))
    expect(() => ensureMemoryFolder(root, 'memories')).toThrow(/leads out of the repository/)
    expect(readdirSync(other)).toEqual([])
  })

  it('below a link that leads out of the repository is not created', () => {
    const [root, other] = [temporaryFolder(), temporaryFolder()]
    symlinkSync(other, join(root, '.serena'))
    expect(() => ensureMemoryFolder(root, '.serena/memories/more')).toThrow(/leads out of the repository/)
    expect(readdirSync(other)).toEqual([])
  })

  it('is created together with its root, and below a link that stays inside', () => {
    const root = join(temporaryFolder(), 'not', 'there')
    expect(ensureMemoryFolder(root, '.')).toMatch(/not\/there$/)
    mkdirSync(join(root, 'real'))
    symlinkSync('real', join(root, 'linked'))
    expect(ensureMemoryFolder(root, 'linked/memories')).toMatch(/not\/there\/real\/memories$/)
  })

  it('that cannot be read or is a file is refused with a sentence', () => {
    const root = temporaryFolder()
    symlinkSync('loop', join(root, 'loop'))
    writeFileSync(join(root, 'file'), 'mine')
    for (const work of [
      () => listMemoryFiles(join(root, 'loop')),
      () => entryAt(join(root, 'x'.repeat(300))),
      () => entryAt(join(root, 'loop', 'in')),
    ])
      expect(work).toThrow(/cannot be read \(E[A-Z]+\)\.$/)
    for (const path of ['file', 'file/below'])
      expect(() => ensureMemoryFolder(root, path)).toThrow(/is not a folder; remove it\.$/)
    expect(() => ensureMemoryFolder(root, 'loop')).toThrow(/cannot be written \(ELOOP\)/)
    expect(() => deleteMemoryFile(join(root, 'loop', 'a.md'))).toThrow(/cannot be written \(ELOOP\)/)
  })
})
