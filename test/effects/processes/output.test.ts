import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastLine, readOutput, saveLog } from '../../../src/effects/processes/output.ts'
import { temporaryFolder } from '../../support/core.ts'

const file = (content: string | Buffer): string => {
  const path = join(temporaryFolder(), 'agent.log')
  writeFileSync(path, content)
  return path
}

/** Reads a file piece by piece, like the log pane. */
const inPieces = async (path: string): Promise<{ text: string; pieces: number }> => {
  let text = ''
  let pieces = 0
  for (let offset = 0; ; pieces++) {
    const piece = await readOutput(path, { offset })
    if (piece.next === offset) return { text, pieces }
    text += piece.text
    offset = piece.next
  }
}

it('a missing output file reads as an empty one', async () => {
  expect(await readOutput('/no/such/file', { offset: 0 })).toEqual({ text: '', next: 0, size: 0 })
  expect(await readOutput('/no/such/file', { tail: 100 })).toEqual({ text: '', next: 0, size: 0 })
  expect(await lastLine('/no/such/file')).toBe('')
})

it.each(['ä', '€', '😀', 'aä€😀'])('pieces of output never cut a character: %s', async (character) => {
  for (const shift of ['', 'x', 'xx', 'xxx']) {
    const content = shift + character.repeat(Math.ceil((600 * 1024) / Buffer.byteLength(character)))
    const { text, pieces } = await inPieces(file(content))
    expect(text === content).toBe(true)
    expect(pieces).toBeGreaterThan(2)
  }
})

it('an incomplete character is awaited', async () => {
  const euro = Buffer.from('€')
  const path = file(Buffer.concat([Buffer.from('5 '), euro.subarray(0, 2)]))
  const first = await readOutput(path, { offset: 0 })
  appendFileSync(path, euro.subarray(2))
  const second = await readOutput(path, { offset: first.next })
  expect(first.text + second.text).toBe('5 €')
})

it('bytes that are not text do not stop the reading', async () => {
  const { text } = await inPieces(file(Buffer.alloc(600 * 1024, 0x80)))
  expect(text).toMatch(/^�+$/)
})

it('a file that shrank is read from its start', async () => {
  const path = file('a long line\n')
  const { next } = await readOutput(path, { offset: 0 })
  writeFileSync(path, 'new\n')
  expect(await readOutput(path, { offset: next })).toEqual({ text: 'new\n', next: 4, size: 4 })
})

it('a read at the end of the file returns nothing', async () => {
  expect(await readOutput(file('abc'), { offset: 3 })).toEqual({ text: '', next: 3, size: 3 })
})

it('the tail consists of the last bytes', async () => {
  expect(await readOutput(file('0123456789'), { tail: 4 })).toEqual({ text: '6789', next: 10, size: 10 })
  expect(await readOutput(file('0123'), { tail: 100 })).toEqual({ text: '0123', next: 4, size: 4 })
})

it('the last line is the last one that is not blank, cut to a readable length', async () => {
  expect(await lastLine(file('one\ntwo  \n\n  \n'))).toBe('two')
  expect(await lastLine(file(`${'x'.repeat(100_000)}\n`))).toHaveLength(300)
})

it('a saved log is a new file without secrets that only its owner can read', async () => {
  const root = temporaryFolder()
  const folder = join(root, '.aiswarm/logs/saved')
  const path = await saveLog(root, 'logs-1', 'key sk-abcdefghijklmnop1234\nall is well\n')
  expect(path).toBe(join(folder, 'logs-1.log'))
  expect(readFileSync(path, 'utf8')).toBe('key ••••••\nall is well\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const second = await saveLog(root, 'logs-1', 'later')
  expect(second).toBe(join(folder, 'logs-1-2.log'))
  expect(readFileSync(path, 'utf8')).toContain('all is well')
  expect(readdirSync(folder).sort()).toEqual(['logs-1-2.log', 'logs-1.log'])
})
