import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  lastLineEnd,
  linesAfter,
  linesBefore,
  type LineWindow,
  withFile,
} from '../../../src/effects/talk/line-window.ts'
import { fastFolder } from '../../support/fast-folder.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(fastFolder, 'aiswarm-windows-'))
  path = join(folder, 'agent.log')
})
afterEach(() => rmSync(folder, { recursive: true }))

const none: LineWindow = { lines: [], from: 0, to: 0, size: 0 }
const textsOf = ({ lines }: LineWindow): readonly (string | undefined)[] => lines.map(({ text }) => text)

const forward = async (begin: number, flush: boolean) => {
  const all: (string | undefined)[] = []
  for (let at = begin; ;) {
    const window = await withFile(path, (file, size) => linesAfter(file, at, size, flush), none)
    if (window.lines.length === 0) return all
    all.push(...textsOf(window))
    at = window.to
  }
}

const backward = async (begin: number) => {
  const all: (string | undefined)[] = []
  for (let at = await withFile(path, (file, size) => lastLineEnd(file, begin, size), 0); at > begin;) {
    const window = await withFile(path, (file) => linesBefore(file, begin, at), none)
    all.unshift(...textsOf(window))
    at = window.from
  }
  return all
}

describe('the windows of an output', () => {
  it('give every complete line once, in both directions, whatever their lengths', async () => {
    const line = fc.oneof(
      { weight: 8, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
      { weight: 2, arbitrary: fc.nat(200_000).map((length) => 'x'.repeat(length)) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 40 }), fc.string(), async (texts, rest) => {
        const lines = texts.map((text) => text.replace(/[\r\n]/g, ' ').toWellFormed())
        const unfinished = rest.replace(/[\r\n]/g, ' ').toWellFormed()
        const before = 'of another run\n'
        writeFileSync(path, `${before}${lines.map((text) => `${text}\n`).join('')}${unfinished}`)
        expect(await forward(before.length, false)).toEqual(lines)
        expect(await backward(before.length)).toEqual(lines)
        expect(await forward(before.length, true)).toEqual(unfinished === '' ? lines : [...lines, unfinished])
      }),
      { numRuns: 40 },
    )
  })

  it('pass over a line of megabytes, and say how long it is', async () => {
    writeFileSync(path, `first\n${'x'.repeat(6 * 1024 * 1024)}\nlast\n`)
    expect(await forward(0, false)).toEqual(['first', undefined, 'last'])
    expect(await backward(0)).toEqual(['first', undefined, 'last'])
    const { lines } = await withFile(path, (file) => linesBefore(file, 0, 6 * 1024 * 1024 + 7), none)
    expect(lines).toEqual([{ offset: 6, bytes: 6 * 1024 * 1024 + 1, text: undefined }])
  })

  it('are empty without a file', async () => {
    expect(await forward(0, true)).toEqual([])
  })
})
