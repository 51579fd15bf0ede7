import { appendFileSync, closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSpoken } from '../../src/effects/spoken-output.ts'
import { ours } from '../../src/domain/safe-text.ts'
import type { Outside } from '../../src/operations/kernel/outside.ts'
import type { AgentView } from '../../src/operations/kernel/views.ts'
import { readTails } from '../../src/ui/logs/outputs.ts'
import { appended, limits } from '../../src/ui/logs/ring.ts'
import { emptyLogs, type LogEntry } from '../../src/ui/logs/state.ts'
import { temporaryFolder } from '../support/core.ts'

const agent = { id: 'a', status: 'active' } as AgentView

/** Real files of a folder, and how many bytes of them were read. */
const outsideIn = (folder: string) => {
  const read = { bytes: 0 }
  const outside = {
    readOutput: async (id: string, from: Parameters<Outside['readOutput']>[1]) => {
      const piece = await readSpoken(join(folder, id), from, undefined)
      read.bytes += Buffer.byteLength(piece.text)
      return piece
    },
  } as unknown as Outside
  return { outside, read }
}

it('of a file of a gigabyte only the end is read, and then what comes', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a')
  const file = openSync(path, 'w')
  ftruncateSync(file, 1024 ** 3)
  closeSync(file)
  appendFileSync(path, '\nlast\n')
  const { outside, read } = outsideIn(folder)
  const tails = readTails(outside)
  const first = await tails([agent])
  // What was not read is said, so that nobody takes its absence for an answer.
  expect(first.map(({ text }) => text)).toEqual(["… 'aiswarm agent logs a --raw': 1024M before this", 'last'])
  expect(read.bytes <= 16 * 1024).toBe(true)
  appendFileSync(path, 'new\nhalf')
  expect((await tails([agent])).map(({ text }) => text)).toEqual(['new'])
  appendFileSync(path, ' a line\n')
  expect((await tails([agent])).map(({ text }) => text)).toEqual(['half a line'])
})

it('what is printed faster than it can be shown is passed over, and said', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a'), 'begin\n')
  const { outside, read } = outsideIn(folder)
  const tails = readTails(outside)
  await tails([agent])
  appendFileSync(join(folder, 'a'), `${'x'.repeat(99)}\n`.repeat(50_000))
  appendFileSync(join(folder, 'a'), 'end\n')
  const lines = [...(await tails([agent])), ...(await tails([agent]))].map(({ text }) => text)
  expect(lines[0]).toContain('were printed faster than they could be shown')
  expect(lines.at(-1)).toBe('end')
  expect(read.bytes < 600_000).toBe(true)
})

it('the last words of an agent that has ended are shown, then its file is left alone', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a'), 'one\ntwo without an end')
  const { outside, read } = outsideIn(folder)
  const tails = readTails(outside)
  const ended = { ...agent, status: 'terminated' } as AgentView
  expect((await tails([ended])).map(({ text }) => text)).toEqual(['one'])
  expect((await tails([ended])).map(({ text }) => text)).toEqual(['two without an end'])
  await tails([ended])
  const before = read.bytes
  appendFileSync(join(folder, 'a'), 'nobody reads this\n')
  await tails([ended])
  expect(read.bytes).toBe(before)
})

it('only so many lines are kept, and only so many characters', () => {
  const entry = (seq: number, text: string): LogEntry => ({ seq, time: ours(''), agent: ours('a'), look: 'output', trouble: false, text: ours(text) })
  const many = Array.from({ length: limits.lines + 5 }, (_, seq) => entry(seq, 'x'))
  const kept = appended(appended(emptyLogs, many.slice(0, 10)), many.slice(10))
  expect([kept.entries.length, kept.entries[0]!.seq, kept.dropped]).toEqual([limits.lines, 5, 5])
  const long = Array.from({ length: 3000 }, (_, seq) => entry(seq, 'y'.repeat(limits.line)))
  const few = appended(emptyLogs, long)
  expect(few.entries.length).toBe(limits.characters / limits.line)
  expect(few.entries.at(-1)!.seq).toBe(2999)
})
