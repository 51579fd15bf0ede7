import { appendFileSync, closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Outside } from '../../../src/contracts/outside.ts'
import { ours } from '../../../src/domain/words/safe-text.ts'
import { readReadableOutput } from '../../../src/effects/runs/inspection.ts'
import type { AgentView } from '../../../src/operations/views/agents.ts'
import { readTails } from '../../../src/ui/panes/log.ts'
import { appended, emptyLogs, limits, type LogEntry } from '../../../src/ui/views/logs/lines.ts'
import { temporaryFolder } from '../../support/core.ts'

const agent = { id: 'a', status: 'active' } as AgentView

/** The real files of a folder, and the number of bytes read from them. */
const outsideIn = (folder: string) => {
  const read = { bytes: 0 }
  const outside = {
    readOutput: async (id: string, from: Parameters<Outside['readOutput']>[1]) => {
      const piece = await readReadableOutput(join(folder, id), from, undefined)
      read.bytes += Buffer.byteLength(piece.text)
      return piece
    },
  } as unknown as Outside
  return { outside, read }
}

it('only the end of a one-gigabyte file is read, and then its additions', async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'a')
  const file = openSync(path, 'w')
  ftruncateSync(file, 1024 ** 3)
  closeSync(file)
  appendFileSync(path, '\nlast\n')
  const { outside, read } = outsideIn(folder)
  const tails = readTails(outside)
  const first = await tails([agent])
  // The omission is reported, so that no person takes the lines for complete.
  expect(first.map(({ text }) => text)).toEqual(["… 'aiswarm agent logs a --raw': 1024M before this", 'last'])
  expect(read.bytes <= 16 * 1024).toBe(true)
  appendFileSync(path, 'new\nhalf')
  expect((await tails([agent])).map(({ text }) => text)).toEqual(['new'])
  appendFileSync(path, ' a line\n')
  expect((await tails([agent])).map(({ text }) => text)).toEqual(['half a line'])
})

it('output that is printed faster than it can be shown is skipped, with a note', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a'), 'begin\n')
  const { outside, read } = outsideIn(folder)
  const tails = readTails(outside)
  await tails([agent])
  appendFileSync(join(folder, 'a'), `${'x'.repeat(99)}\n`.repeat(50_000))
  appendFileSync(join(folder, 'a'), 'end\n')
  const lines = [...(await tails([agent])), ...(await tails([agent]))].map(({ text }) => text)
  expect(lines[0]).toContain('of output arrived too fast to show')
  expect(lines.at(-1)).toBe('end')
  expect(read.bytes < 600_000).toBe(true)
})

it('the last output of an ended agent is shown, and then its file is not read again', async () => {
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

it('the log keeps a limited number of lines and characters', () => {
  const entry = (seq: number, text: string): LogEntry => ({
    seq,
    time: ours(''),
    agent: ours('a'),
    look: 'output',
    trouble: false,
    text: ours(text),
  })
  const many = Array.from({ length: limits.lines + 5 }, (_, seq) => entry(seq, 'x'))
  const kept = appended(appended(emptyLogs, many.slice(0, 10)), many.slice(10))
  expect([kept.entries.length, kept.entries[0]!.seq, kept.dropped]).toEqual([limits.lines, 5, 5])
  const long = Array.from({ length: 3000 }, (_, seq) => entry(seq, 'y'.repeat(limits.line)))
  const few = appended(emptyLogs, long)
  expect(few.entries.length).toBe(limits.characters / limits.line)
  expect(few.entries.at(-1)!.seq).toBe(2999)
})
