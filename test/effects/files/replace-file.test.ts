import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { replaceFile, replaceKept } from '../../../src/effects/files/replace-file.ts'
import { temporaryFolder } from '../../support/core.ts'

describe('a replaced file', () => {
  it('is written completely, and leaves no draft', () => {
    const folder = temporaryFolder()
    replaceFile(join(folder, 'a.yaml'), 'a: 1\n')
    replaceKept(join(folder, 'a.yaml'), 'a: 2\n')
    expect(readdirSync(folder)).toEqual(['a.yaml'])
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe('a: 2\n')
  })

  it('is not written through a link in the place of its draft', () => {
    const folder = temporaryFolder()
    const [victim, path] = [join(folder, 'victim'), join(folder, 'config.yaml')]
    writeFileSync(victim, 'theirs\n')
    writeFileSync(path, 'a: 1\n')
    symlinkSync(victim, `${path}.${process.pid}.new`)
    replaceKept(path, 'a: 2\n')
    expect(readFileSync(victim, 'utf8')).toBe('theirs\n')
    expect(lstatSync(path).isFile()).toBe(true)
  })
})
