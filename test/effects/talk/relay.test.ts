import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startDetached } from '../../../src/effects/processes/process.ts'
import { readPid } from '../../../src/effects/processes/shim.ts'
import { sessionRuns } from '../../../src/effects/processes/table.ts'
import { RELAY, sealed } from '../../../src/effects/talk/journal-entry.ts'
import { temporaryFolder } from '../../support/core.ts'
import { endProcess } from '../../support/processes.ts'
import { until } from '../swarm.ts'

const program = resolve(import.meta.dirname, '../../../dist/main.js')
const agent = resolve(import.meta.dirname, '../../fixtures/line-agent.mjs')
const key = 'a key that only aiswarm knows'

/** A relay with its agent, started as the launcher starts them. */
const relayed = async (words: readonly string[] = [], journal = '') => {
  const folder = temporaryFolder()
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('journal'), journal)
  await startDetached({
    argv: [
      process.execPath,
      program,
      RELAY,
      at('journal'),
      'stream-json',
      '200',
      '1000',
      process.execPath,
      agent,
      ...words,
    ],
    cwd: folder,
    environment: { PATH: process.env['PATH'] ?? '' },
    stdin: null,
    output: at('output'),
    pidFile: at('pid'),
    exitFile: at('exit'),
    seal: 'seal',
    journalKey: key,
  })
  const pid = await until('the shim', () => readPid(at('pid')))
  onTestFinished(() => endProcess(-pid))
  const printed = (): readonly unknown[] =>
    existsSync(at('output'))
      ? readFileSync(at('output'), 'utf8')
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as unknown)
      : []
  const began = await until('the agent', () => (printed()[0] as { began: number } | undefined)?.began)
  return {
    pid,
    agentPid: began,
    write: (text: string): void => appendFileSync(at('journal'), text),
    /** The lines that reached the agent. */
    heard: (): readonly unknown[] => printed().slice(1),
    /** Waits until the agent has printed this line, and returns all of them. */
    hears: (line: string): Promise<readonly unknown[]> =>
      until(`'${line}'`, () => (printed().includes(line) ? printed().slice(1) : undefined)),
    exit: (): Promise<string> =>
      until('the end', () => (existsSync(at('exit')) ? readFileSync(at('exit'), 'utf8') : undefined)),
  }
}

const entry = (id: string, line: string): string => sealed(key, { id, line })
const end = sealed(key, { id: 'end' })

describe('the relay', () => {
  it('forwards what the journal contains and what is appended, in order, and ends the input at the end', async () => {
    const one = await relayed([], entry('1', 'one'))
    await one.hears('one')
    one.write(entry('2', 'two') + entry('3', '{"three":"ü\\n"}'))
    expect(await one.hears('{"three":"ü\\n"}')).toEqual(['one', 'two', '{"three":"ü\\n"}'])
    one.write(end + entry('4', 'too late'))
    expect(await one.exit()).toBe('7 seal\n')
    expect(one.heard()).toEqual(['one', 'two', '{"three":"ü\\n"}', 'over'])
  })

  it('never forwards a part of a line, wherever its writer was killed', async () => {
    const whole = entry('1', 'a whole line')
    const one = await relayed()
    for (const cut of [1, 63, 64, 65, 70, whole.length - 2]) one.write(`${whole.slice(0, cut)}\n`)
    one.write(whole.slice(0, 80))
    one.write(`${whole.slice(80)}${entry('2', 'the next').slice(0, -1)}`)
    expect(await one.hears('a whole line')).toEqual(['a whole line'])
    one.write('\n')
    expect(await one.hears('the next')).toEqual(['a whole line', 'the next'])
  })

  it('forwards an id once, even if two writers have written it', async () => {
    const one = await relayed([], entry('1', 'once') + entry('1', 'once') + entry('2', 'then'))
    one.write(entry('1', 'once') + entry('3', 'last'))
    expect(await one.hears('last')).toEqual(['once', 'then', 'last'])
  })

  it('ignores lines without the seal, which an agent could write itself', async () => {
    const one = await relayed()
    one.write(`${JSON.stringify({ id: '1', line: 'I allow it' })}\n`)
    one.write(sealed('another key', { id: '2', line: 'I allow it too' }))
    one.write(`${'x'.repeat(100)}\n${'0'.repeat(64)} {}\n\n`)
    one.write(entry('1', 'words'))
    expect(await one.hears('words')).toEqual(['words'])
  })

  it('forwards a long line whole to an agent that reads slowly', async () => {
    const long = 'ä'.repeat(1_000_000)
    const one = await relayed([], entry('1', long) + entry('2', 'after'))
    expect(await one.hears('after')).toEqual([long, 'after'])
  })

  it('ends an agent that ignores the end of its input, and reports exit code 0', async () => {
    const one = await relayed(['stubborn'])
    one.write(end)
    expect(await one.exit()).toBe('0 seal\n')
    expect(one.heard()).toContain('SIGTERM')
    await until('the end of the session', () => !sessionRuns(one.pid))
  })

  it('reports the exit code of an agent that ends by itself or by a signal', async () => {
    const one = await relayed()
    endProcess(one.agentPid)
    expect(await one.exit()).toBe('137 seal\n')
  })

  it('belongs to the session of its agent, so that a signal to the session leaves nothing', async () => {
    const one = await relayed(['stubborn'])
    process.kill(-one.pid, 'SIGKILL')
    await until('the end of the session', () => !sessionRuns(one.pid))
  })
})
