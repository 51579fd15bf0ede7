import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ensureMemoryFolder, LARGEST, listMemoryFiles, readMemoryFile, writeMemoryFile } from '../../src/memory/files.ts'
import { temporaryFolder } from '../support/core.ts'

const text = (path: string): string => new TextDecoder().decode(readMemoryFile(path)?.bytes)

describe('a memory file', () => {
  it('is written whole, and nothing is left beside it', () => {
    const folder = temporaryFolder()
    writeMemoryFile(join(folder, 'a.md'), 'one')
    writeMemoryFile(join(folder, 'a.md'), 'two')
    expect(text(join(folder, 'a.md'))).toBe('two')
    expect(readdirSync(folder)).toEqual(['a.md'])
  })

  it('is none where there is none', () => {
    const folder = temporaryFolder()
    expect(readMemoryFile(join(folder, 'a.md'))).toBeUndefined()
    expect(readMemoryFile(join(folder, 'b', 'a.md'))).toBeUndefined()
    expect(listMemoryFiles(join(folder, 'b'))).toEqual([])
  })

  it('is read and listed beside what a killed writer left', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.a.md.0123456789ab.tmp'), 'ha')
    writeMemoryFile(join(folder, 'a.md'), 'whole')
    expect(listMemoryFiles(folder)).toEqual(['a.md'])
  })

  it('is no link: what that points at is neither read nor written', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'secret'), 'mine')
    symlinkSync('secret', join(folder, 'a.md'))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/is a symbolic link, which is not followed/)
    expect(() => writeMemoryFile(join(folder, 'a.md'), 'x')).toThrow(/is no plain file/)
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('mine')
  })

  it('is no pipe, which would hold the reader for ever, and no folder', () => {
    const folder = temporaryFolder()
    execFileSync('mkfifo', [join(folder, 'a.md')])
    mkdirSync(join(folder, 'b.md'))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/is no plain file/)
    expect(() => readMemoryFile(join(folder, 'b.md'))).toThrow(/is no plain file/)
    expect(() => writeMemoryFile(join(folder, 'a.md'), 'x')).toThrow(/is no plain file/)
  })

  it('above 1 MB is refused before it is read', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'a.md'), 'x'.repeat(LARGEST + 1))
    expect(() => readMemoryFile(join(folder, 'a.md'))).toThrow(/at most 1 MB/)
    expect(readMemoryFile(join(folder, 'a.md'), Infinity)?.bytes).toHaveLength(LARGEST + 1)
  })
})

describe('a memory folder', () => {
  it('is made inside of the repository', () => {
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
})
